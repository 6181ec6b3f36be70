import { Type } from '@sinclair/typebox'
import { Account } from './account.ts'
import { Call } from './call.ts'
import { nullable, numberOut, resource, timestamp, urlOut } from './field.ts'
import { CallSummary } from './insight.ts'

/** What an account opens first, in one answer: the portal's home waits for one request and not for nine. */
export const AccountOverview = Type.Object(
  {
    account: resource(Account),
    calls: resource(CallSummary),
    recent_calls: Type.Array(resource(Call), { description: 'The newest eight.' }),
    wrong: Type.Object(
      {
        unrouted_numbers: Type.Array(numberOut('Calls to it find no document.'), {
          description: 'Numbers without an inbound webhook, neither their own nor the default.',
        }),
        failed_callback: nullable(
          Type.Object({ url: urlOut('Where it was to go.'), finished_at: timestamp('When the last try ended.') }),
          {
            description:
              'The last status callback that was given up within 24 hours, and was not delivered after that.',
          },
        ),
        has_no_funds: Type.Boolean({
          description: 'Balance, grace and credit together are zero or less: calls that cost money are refused.',
        }),
        has_no_outbound_webhook: Type.Boolean({ description: 'Phones of the account cannot call out.' }),
      },
      { description: 'What is wrong now.' },
    ),
    first_steps: Type.Object(
      {
        document: Type.Boolean({ description: 'It hosts a document.' }),
        number: Type.Boolean({ description: 'One of its numbers leads to a document.' }),
        person: Type.Boolean({ description: 'It has an end-user.' }),
        call: Type.Boolean({ description: 'It had a call.' }),
        recording: Type.Boolean({ description: 'It keeps a recording.' }),
      },
      { description: 'What a new account does first, and what of it is done.' },
    ),
  },
  { $id: 'AccountOverview' },
)
