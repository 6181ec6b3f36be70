import { Type } from '@sinclair/typebox'
import { behaviourNames } from '../../core/testing/index.ts'
import { choice, moneyOut } from './field.ts'

const seconds = (description: string) => Type.Integer({ minimum: 0, maximum: 86_400, description })

export const SimulationInput = Type.Object({
  body: Type.String({ maxLength: 65_536, description: 'The verb document, at most 64 KB.' }),
  press: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^[0-9A-D*#]{1,64}$', examples: ['1'], 'x-problem': 'must be keys: 0-9 A-D * #' }),
      {
        maxItems: 20,
        description: 'Keys for one prompt after another.',
      },
    ),
  ),
  answer: Type.Optional(
    choice(
      ['answer', ...behaviourNames.filter(name => name !== 'answer')],
      'How who is dialled behaves. Default `answer`.',
    ),
  ),
  talk_seconds: Type.Optional(seconds('Who answers hangs up after so long. Default 30.')),
  speak_seconds: Type.Optional(seconds('How long the caller speaks when recorded. Default 3.')),
  hang_up_after_seconds: Type.Optional(seconds('The caller hangs up so long after the start; 0: at once.')),
  from: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^\\+?\\d{1,15}$',
      description: 'The caller.',
      examples: ['+254711111111'],
      'x-problem': 'must be a number',
    }),
  ),
})

export const SimulatedCourse = Type.Object(
  {
    steps: Type.Array(
      Type.Object({
        at_ms: Type.Integer({ description: 'Virtual time since the start.' }),
        text: Type.String({ examples: ['say "Karibu"'] }),
      }),
    ),
    end: Type.Object({
      status: choice(['completed', 'failed'], 'How it ended.'),
      reason_code: Type.String({ examples: ['END.0200'] }),
      reason_label: Type.String({ examples: ['Completed'] }),
      duration_seconds: Type.Integer(),
      talk_seconds: Type.Integer(),
      cost: moneyOut('What it would cost at today’s rates.'),
    }),
  },
  { $id: 'SimulatedCourse' },
)

export const Vocabulary = Type.Object(
  {
    verbs: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['Say'] }),
        summary: Type.String(),
        within: Type.Array(Type.String(), {
          description: 'The elements that it may be in.',
          examples: [['Response']],
        }),
        attributes: Type.Array(Type.Object({ name: Type.String(), summary: Type.String() })),
        example: Type.String(),
      }),
    ),
  },
  { $id: 'Vocabulary' },
)

export const DocumentRevision = Type.Object(
  {
    id: Type.Integer({ description: 'Later ones are greater.' }),
    name: Type.String({ examples: ['Greeting'] }),
    body: Type.String({ examples: ['<Response/>'] }),
    created_at: Type.String({
      format: 'date-time',
      description: 'When it was stored.',
      examples: ['2026-07-01T08:30:00.000Z'],
    }),
  },
  { $id: 'DocumentRevision' },
)
