const sessions = /^\/portal\/|^\/operator\/(sessions|accounts\/\{uuid\}\/link)/
const insight =
  /^\/(calls\/summary|account\/(ledger|overview)|events\/|account\/webhooks\/(deliveries|test)|phone-tokens\/$|users\/registrations|documents\/(vocabulary|simulate|\{uuid\}\/revisions)|operator\/(figures|changes|routes|trunks\/(states|\{uuid\}\/test)))/

/** Sign-in to the portal: tests/api/portal-sessions.test.ts answers for these. */
export const isOfSessions = (path: string): boolean => sessions.test(path)
/** What the portal asks beyond resources: tests/api/portal-insight.test.ts answers for these. */
export const isOfInsight = (path: string): boolean => insight.test(path)
export const isOfPortal = (path: string): boolean => isOfSessions(path) || isOfInsight(path)
