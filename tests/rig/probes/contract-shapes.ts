import type { Shape } from './contract.ts'

// The API's resources, field by field, written out and not taken from the code.

export const accountFields: Shape = { uuid: 'string', name: 'string', wallet_balance: 'money', status: 'string' }
export const callFields: Shape = {
  uuid: 'string',
  sid: 'string',
  direction: 'string',
  from_number: 'string',
  to_number: 'string',
  status: 'string',
  reason_code: 'string',
  reason_label: 'string',
  duration_seconds: 'integer?',
  talk_seconds: 'integer?',
  cost: 'money',
  tts_seconds: 'integer',
  customPayload: 'object?',
  started_at: 'timestamp?',
  answered_at: 'timestamp?',
  ended_at: 'timestamp?',
  created_at: 'timestamp',
}
export const numberFields: Shape = {
  uuid: 'string',
  number: 'string',
  friendly_name: 'string',
  webhook_urls: 'object',
  webhook_inbound: 'object',
  is_active: 'boolean',
  acquired_at: 'timestamp?',
}
export const webhookFields: Shape = {
  endpoints: 'object',
  fallback_mode: 'string',
  fallback_value: 'string',
  numbers: 'array',
}
export const userFields: Shape = {
  uuid: 'string',
  extension_number: 'string',
  email: 'string',
  display_name: 'string',
  is_active: 'boolean',
  is_registered: 'boolean',
  created_at: 'timestamp',
}
export const keyFields: Shape = {
  uuid: 'string',
  name: 'string',
  prefix: 'string',
  is_active: 'boolean',
  created_at: 'timestamp',
  last_used_at: 'timestamp?',
}
export const tokenFields: Shape = {
  uuid: 'string',
  end_user: 'string',
  extension_number: 'string',
  max_concurrent: 'integer',
  is_valid: 'boolean',
  expires_at: 'timestamp?',
  revoked_at: 'timestamp?',
  created_at: 'timestamp?',
}
export const recordingFields: Shape = {
  uuid: 'string',
  call_uuid: 'string',
  call_sid: 'string',
  duration_seconds: 'integer?',
  size_bytes: 'integer?',
  media_format: 'string',
  storage_backend: 'string',
  expires_at: 'timestamp?',
  created_at: 'timestamp',
}
