import { toError } from '@calls/foundation/errors';
import { Uuid } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { asBusError, isNoResponders } from './bus-error.ts';
import type { Connection } from './connection.ts';
import { keyOf } from './worker-directory.ts';

/** Additional fields are allowed: a later release may add some. */
const HandOverRequest = Type.Object({
  /** `prepare`: the call stays where it is. `take`: its log is complete, and the lease can be taken. */
  step: Type.Enum(['prepare', 'take']),
  callId: Uuid,
  /** The worker that runs the call. */
  from: Type.String({ minLength: 1, maxLength: 256 }),
});
export type HandOverRequest = Static<typeof HandOverRequest>;

/** `refused`: the call is not that worker's any more, or cannot continue at the other one. */
const HandOverReply = Type.Object({ outcome: Type.Enum(['accepted', 'no_capacity', 'refused']) });
export type HandOverOutcome = Static<typeof HandOverReply>['outcome'];

const requestValidator = compileValidator('hand-over request', HandOverRequest);
const replyValidator = compileValidator('hand-over reply', HandOverReply);

/** Short for `take`, because the user hears nothing in the meantime. */
const REPLY_LIMIT_MS = { prepare: 5000, take: 2000 };

/** Requests of stopping workers that another worker continues their calls. */
export class HandOvers {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Null if the worker is unavailable, or its release does not support such requests. Rejects if it does not reply in
   * time.
   */
  async request(workerId: string, request: HandOverRequest): Promise<HandOverOutcome | null> {
    this.#connection.assertConnected('hand-over');
    const { nats } = this.#connection;
    try {
      const options = { timeout: REPLY_LIMIT_MS[request.step] };
      const reply = await nats.request(subjectOf(workerId), JSON.stringify(request), options);
      return replyValidator.parse(reply.json()).outcome;
    } catch (thrown) {
      if (isNoResponders(thrown)) return null;
      throw asBusError('hand-over', thrown);
    }
  }

  /** Replies as this worker until disposed. If `handle` throws, the reply is `refused`. */
  serve(workerId: string, handle: (request: HandOverRequest) => Promise<HandOverOutcome>): Disposable {
    const { nats, log } = this.#connection;
    const subscription = nats.subscribe(subjectOf(workerId), {
      callback: (error, message) => {
        if (error) return;
        const outcomeOf = async (): Promise<HandOverOutcome> =>
          handle(requestValidator.parse(message.json()));
        void outcomeOf()
          .catch((thrown: unknown) => {
            log.error({ err: toError(thrown) }, 'failed to handle hand-over request');
            return 'refused' as const;
          })
          .then((outcome) => message.respond(JSON.stringify({ outcome })));
      },
    });
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  }
}

function subjectOf(workerId: string): string {
  return `media_workers.${keyOf(workerId)}.hand_over`;
}
