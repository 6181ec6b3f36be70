const signed = [
  {
    name: 'X-Voice-Signature',
    in: 'header',
    required: true,
    description:
      "Base64 of the HMAC-SHA256 of the request's URL, `X-Voice-Timestamp` and the raw body, one after another, with the account's signing secret.",
    schema: { type: 'string', examples: ['q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80='] },
  },
  {
    name: 'X-Voice-Timestamp',
    in: 'header',
    required: true,
    description: 'Unix seconds; refuse what is more than 300 seconds from now.',
    schema: { type: 'string', pattern: '^\\d+$', examples: ['1782894600'] },
  },
] as const

const named = {
  name: 'X-Voice-Event',
  in: 'header',
  required: true,
  description: 'The `event` of the body.',
  schema: { type: 'string', examples: ['call.answered'] },
} as const

const body = (schema: string) => ({
  required: true,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
})

const document = {
  description: 'The verb document, within 10 seconds and 64 KB. Anything else runs the fallback of the account.',
  content: {
    'application/xml': { schema: { type: 'string' }, example: '<Response><Say>Hello</Say></Response>' },
  },
}

const control = (operationId: string, summary: string, schema: string, description: string) => ({
  post: {
    operationId,
    tags: ['webhooks'],
    summary,
    description,
    security: [],
    parameters: signed,
    requestBody: body(schema),
    responses: { 200: document },
  },
})

/** What the switch sends to the customer's servers: OpenAPI's `webhooks`. */
export const webhooks = {
  callControl: control(
    'onCall',
    'A call asks what to do',
    'CallControlRequest',
    'To the `voice_inbound` or `voice_outbound` webhook, to the `url` of originate, and to the target of `<Redirect>`.',
  ),
  dialAction: control('onDialAction', 'A Dial has ended', 'DialActionRequest', 'To the `action` of `<Dial>`.'),
  recordAction: control(
    'onRecordAction',
    'A Record has ended',
    'RecordActionRequest',
    'To the `action` of `<Record>`.',
  ),
  gatherAction: control(
    'onGatherAction',
    'Digits were typed',
    'GatherActionRequest',
    'To the `action` of `<Gather>`, or to the URL of its document.',
  ),
  statusCallback: {
    post: {
      operationId: 'onStatusCallback',
      tags: ['webhooks'],
      summary: 'An event of a call, a dialled leg, a recording or money',
      description:
        'To the `status` webhook. Anything but a 2xx within 10 seconds is tried again, five times: after 30, 60, 120, 240 and 480 seconds.',
      security: [],
      parameters: [...signed, named],
      requestBody: body('StatusCallback'),
      responses: { '2XX': { description: 'Taken. The body is not looked at, up to 64 KB.' } },
    },
  },
}
