import { toError } from '@calls/foundation/errors';
import { Uuid } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { asBusError, isNoResponders } from './bus-error.ts';
import type { Connection } from './connection.ts';
import { keyOf } from './worker-directory.ts';

/** Additional fields are allowed: a later release may add some. */
const HandoverRequest = Type.Object({
  /** `prepare`: the call stays where it is. `take`: its log is complete, and the lease can be taken. */
  step: Type.Enum(['prepare', 'take']),
  callId: Uuid,
  /** The worker that runs the call. */
  from: Type.String({ minLength: 1, maxLength: 256 }),
});
export type HandoverRequest = Static<typeof HandoverRequest>;

/** `refused`: the call is not that worker's any more, or cannot continue at the other one. */
const HandoverReply = Type.Object({ outcome: Type.Enum(['accepted', 'no_capacity', 'refused']) });
export type HandoverOutcome = Static<typeof HandoverReply>['outcome'];

const requestValidator = compileValidator('handover request', HandoverRequest);
const replyValidator = compileValidator('handover reply', HandoverReply);

/** Short for `take`, because the user hears nothing in the meantime. */
const REPLY_LIMIT_MS = { prepare: 5000, take: 2000 };

/** Requests of stopping workers that another worker continues their calls. */
export class Handovers {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Null if the worker is unavailable, or its release does not support such requests. Rejects if it does not reply in
   * time.
   */
  async request(workerId: string, request: HandoverRequest): Promise<HandoverOutcome | null> {
    this.#connection.assertConnected('handover');
    const { nats } = this.#connection;
    try {
      const options = { timeout: REPLY_LIMIT_MS[request.step] };
      const reply = await nats.request(subjectOf(workerId), JSON.stringify(request), options);
      return replyValidator.parse(reply.json()).outcome;
    } catch (thrown) {
      if (isNoResponders(thrown)) return null;
      throw asBusError('handover', thrown);
    }
  }

  /** Replies as this worker until disposed. If `handle` throws, the reply is `refused`. */
  serve(workerId: string, handle: (request: HandoverRequest) => Promise<HandoverOutcome>): Disposable {
    const { nats, log } = this.#connection;
    const subscription = nats.subscribe(subjectOf(workerId), {
      callback: (error, message) => {
        if (error) return;
        const outcomeOf = async (): Promise<HandoverOutcome> =>
          handle(requestValidator.parse(message.json()));
        void outcomeOf()
          .catch((thrown: unknown) => {
            log.error({ err: toError(thrown) }, 'failed to handle handover request');
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
