import type { Dispatcher } from 'undici'
import { PieceCount } from './piece-count.ts'

class SmallPieces extends Error {
  constructor() {
    super('the server sent its answer in thousands of pieces of a few octets')
  }
}

/**
 * A body in chunks of one octet (RFC 9112 §7.1) costs a Buffer and some calls for each octet: 64 KB of them would keep the
 * signalling thread for a tenth of a second. Counted where the parser delivers them, before anything waits or is kept.
 */
export const boundedPieces: Dispatcher.DispatcherComposeInterceptor = dispatch => (options, handler) =>
  dispatch(options, new CountedPieces(handler))

class CountedPieces implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler
  readonly #pieces = new PieceCount()

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler
  }

  onRequestStart(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...given)
  }

  onRequestUpgrade(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.#handler.onRequestUpgrade?.(...given)
  }

  onResponseStart(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...given)
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#pieces.add(piece.length)) {
      controller.abort(new SmallPieces())
      return
    }
    this.#handler.onResponseData?.(controller, piece)
  }

  onResponseEnd(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...given)
  }

  onResponseError(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.#handler.onResponseError?.(...given)
  }
}
