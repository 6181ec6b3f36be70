import { type Group, pageFlags, readInput, segment, withQuery } from '../action/action.ts'

const path = (slug: string) => `/assets/${segment(slug)}`

export const asset: Group = {
  name: 'asset',
  summary: 'audio for <Play asset> of an account',
  examples: ['sauti asset put greeting hello.mp3', 'sauti asset get greeting hello.mp3'],
  actions: [
    {
      name: 'list',
      words: [],
      summary: 'all assets, newest first',
      access: 'customer',
      flags: pageFlags,
      request: ({ fields }) => ({ method: 'GET', path: withQuery('/assets/', fields) }),
      table: {
        rows: 'assets',
        columns: [
          ['slug', 'slug'],
          ['format', 'media_format'],
          ['seconds', 'duration_seconds'],
          ['bytes', 'size_bytes'],
          ['created', 'created_at'],
        ],
      },
    },
    {
      name: 'put',
      words: ['slug', 'file'],
      summary: 'upload or replace an asset',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'PUT', path: path(word('slug')), bytes: readInput(word('file')) }),
    },
    {
      name: 'get',
      words: ['slug', 'file'],
      summary: 'download an asset into a file',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'GET', path: path(word('slug')) }),
      saveTo: ({ word }) => word('file'),
    },
    {
      name: 'remove',
      words: ['slug'],
      summary: 'delete an asset',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'DELETE', path: path(word('slug')) }),
    },
  ],
}
