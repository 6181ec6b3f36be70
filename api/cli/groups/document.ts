import { type Group, pageFlags, readInput, segment, withQuery } from '../action/action.ts'

const text = (file: string) => readInput(file).toString()
const path = (uuid: string) => `/documents/${segment(uuid)}`

export const document: Group = {
  name: 'document',
  summary: 'verb documents that the service hosts for an account',
  examples: ['sauti document check menu.xml', 'sauti document create menu menu.xml'],
  actions: [
    {
      name: 'list',
      words: [],
      summary: 'all documents, newest first',
      access: 'customer',
      flags: pageFlags,
      request: ({ fields }) => ({ method: 'GET', path: withQuery('/documents/', fields) }),
      table: {
        rows: 'documents',
        columns: [
          ['uuid', 'uuid'],
          ['name', 'name'],
          ['url', 'url'],
          ['updated', 'updated_at'],
        ],
      },
    },
    {
      name: 'show',
      words: ['uuid'],
      summary: 'one document',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'GET', path: path(word('uuid')) }),
    },
    {
      name: 'create',
      words: ['name', 'file'],
      summary: 'host the document in a file; - is standard input',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({
        method: 'POST',
        path: '/documents/',
        body: { name: word('name'), body: text(word('file')) },
      }),
    },
    {
      name: 'set',
      words: ['uuid', 'name', 'file'],
      summary: 'replace a document; its URL stays',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({
        method: 'PUT',
        path: path(word('uuid')),
        body: { name: word('name'), body: text(word('file')) },
      }),
    },
    {
      name: 'check',
      words: ['file'],
      summary: 'what is wrong with the document in a file; exit code 1 where it would not run',
      access: 'customer',
      flags: [],
      isWell: answer => (answer as { readonly valid: boolean }).valid,
      request: ({ word }) => ({ method: 'POST', path: '/documents/check', body: { body: text(word('file')) } }),
    },
    {
      name: 'remove',
      words: ['uuid'],
      summary: 'delete a document',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'DELETE', path: path(word('uuid')) }),
    },
  ],
}
