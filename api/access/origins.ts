// Our own wss: listeners keep the same rule.
export { isAllowedOrigin } from '../../core/index.ts'
