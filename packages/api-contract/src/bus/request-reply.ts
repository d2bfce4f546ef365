import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';

/** The error of a failed request, in the form of an AppError. */
const Failure = Closed({
  code: Type.String({ maxLength: 100 }),
  message: Type.String(),
  retryable: Type.Boolean(),
});

export type RequestReply<Reply> = { answer: Reply } | { failure: Static<typeof Failure> };

/** A request of media-workers that any control-plane can answer. Requests are idempotent. */
export interface RequestDefinition<Request, Reply> {
  /** Name for error messages. */
  name: string;
  subject: string;
  /** Time limit of one control-plane. */
  limitMs: number;
  request: Validator<Request>;
  reply: Validator<RequestReply<Reply>>;
}

export function defineRequest<Q extends TSchema, A extends TSchema>(
  options: { name: string; subject: string; limitMs: number },
  request: Q,
  answer: A,
): RequestDefinition<Static<Q>, Static<A>> {
  const { name } = options;
  const reply: Validator<unknown> = compileValidator(
    `reply to ${name}`,
    Type.Union([Closed({ answer }), Closed({ failure: Failure })]),
  );
  return {
    ...options,
    request: compileValidator(name, request),
    reply: reply as Validator<RequestReply<Static<A>>>,
  };
}
