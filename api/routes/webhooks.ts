import type { Static } from '@sinclair/typebox'
import type { AccountUuid, WebhookSettings, WebhookSettingsChange } from '../../core/index.ts'
import { customerOf } from '../access/guard.ts'
import { invalid } from '../answer/refusal.ts'
import { renderWebhooks } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { callbackUrl, parsedUrl } from '../request/parsed-url.ts'
import { errors } from '../schema/error.ts'
import { resource } from '../schema/field.ts'
import { EndpointChange, SigningSecret, WebhookChange, WebhookConfig } from '../schema/webhook.ts'

type WebhookPurpose = keyof WebhookSettings['endpoints']

export function webhookRoutes(app: Api, door: SwitchDoor): void {
  const { webhookSettings, numbers, documents } = door.repositories
  const config = { ...resource(WebhookConfig), description: 'The webhook settings.' }
  const secret = { ...resource(SigningSecret), description: 'The signing secret.' }
  const tags = ['webhooks']

  const urlOf = (purpose: WebhookPurpose, url: string) =>
    purpose === 'status' ? callbackUrl('url', url, text => documents.isHosted(text)) : parsedUrl('url', url)

  const currentOf = async (accountUuid: AccountUuid) =>
    renderWebhooks(await webhookSettings.get(accountUuid), await numbers.owned(accountUuid))

  app.get('/account/webhooks', {
    schema: { tags, summary: 'Webhook settings', response: { 200: config, ...errors() } },
    handler: async (request, reply) => reply.send(await currentOf(customerOf(request).accountUuid)),
  })

  app.post('/account/webhooks', {
    schema: {
      tags,
      summary: 'Change webhook settings',
      description: 'Only fields that are sent are changed.',
      body: WebhookChange,
      response: { 200: config, ...errors(400, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const before = await webhookSettings.get(accountUuid)
      await webhookSettings.change(accountUuid, changeOf(request.body, before, urlOf))
      return reply.send(await currentOf(accountUuid))
    },
  })

  app.post('/account/webhooks/endpoint', {
    schema: {
      tags,
      summary: 'Set the account-default URL of one purpose',
      body: EndpointChange,
      response: { 200: config, ...errors(400, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const { url, purpose = 'voice_inbound' } = request.body
      await webhookSettings.change(accountUuid, { endpoint: { purpose, url: urlOf(purpose, url) } })
      return reply.send(await currentOf(accountUuid))
    },
  })

  app.get('/account/webhooks/secret', {
    schema: { tags, summary: 'The signing secret', response: { 200: secret, ...errors() } },
    handler: async (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .send({ signing_secret: await webhookSettings.secret(customerOf(request).accountUuid) }),
  })

  app.post('/account/webhooks/secret/rotate', {
    schema: {
      tags,
      summary: 'Make a new signing secret',
      description: 'The old one stops verifying at once.',
      response: { 200: secret, ...errors() },
    },
    handler: async (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .send({ signing_secret: await webhookSettings.rotate(customerOf(request).accountUuid) }),
  })
}

function changeOf(
  body: Static<typeof WebhookChange>,
  before: WebhookSettings,
  urlOf: (purpose: WebhookPurpose, url: string) => string,
): WebhookSettingsChange {
  const { purpose = 'voice_inbound', url, fallback_mode: mode, fallback_value: value } = body
  const change: { -readonly [Key in keyof WebhookSettingsChange]: WebhookSettingsChange[Key] } = {}
  if (url !== undefined && url !== null) change.endpoint = { purpose, url: urlOf(purpose, url) }
  if (mode === undefined || mode === null) return change
  const { fallbackValue } = before
  if (mode === 'play' && !isAudioUrl(value ?? fallbackValue)) {
    throw invalid('fallback_value', 'must be the http or https URL of the audio when fallback_mode is play')
  }
  // What was to be played is nothing to say.
  const isLeftOver = mode === 'message' && mode !== before.fallbackMode && isAudioUrl(fallbackValue)
  const kept = value ?? (isLeftOver ? '' : undefined)
  change.fallback = kept === undefined ? { mode } : { mode, value: kept }
  return change
}

const isAudioUrl = (text: string): boolean => /^https?:\/\/[^\s/?#]\S*$/i.test(text) && URL.canParse(text)
