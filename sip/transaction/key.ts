import type { IncomingRequest } from './incoming.ts'

/** RFC 3261 §8.1.1.7: a branch that begins so, and goes on, is unique by itself. */
export const branchCookie = 'z9hG4bK'

const isUniqueBranch = (branch: string | undefined): branch is string =>
  branch !== undefined && branch.length > branchCookie.length && branch.startsWith(branchCookie)

/** RFC 3261 §17.1.3: branch and CSeq method. A CANCEL shares the branch of its INVITE. */
export const clientKey = (branch: string, method: string): string => `${branch} ${method}`

/**
 * RFC 3261 §17.2.3: branch, sent-by and method; for branches without the cookie RFC 2543's way: Request-URI, tags,
 * Call-ID, CSeq number and the topmost Via. `method` is INVITE for an ACK, and for a CANCEL that looks for its INVITE.
 */
export function serverKey(request: IncomingRequest, method: string): string {
  const { via } = request
  if (isUniqueBranch(via.branch)) return `${via.branch} ${via.host}:${via.port ?? ''} ${method}`
  // The To tag is left out: an ACK carries the one that our response generated.
  return `2543 ${request.message.uri} ${request.fromTag} ${request.callId} ${request.cseq} ${via.text} ${method}`
}

/** RFC 3261 §8.2.2.2: copies of one request that came by different paths share these and differ in the branch. */
export const mergeKey = (request: IncomingRequest): string => `${request.callId} ${request.fromTag} ${request.cseq}`
