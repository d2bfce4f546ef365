import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';

/** The error of a failed request, in the form of an AppError. */
const Failure = Closed({
  code: Type.String({ maxLength: 100 }),
  message: Type.String(),
  retryable: Type.Boolean(),
});

export type RequestReply<Answer> = { answer: Answer } | { failure: Static<typeof Failure> };

/** A request of media workers that any control-plane can answer. Requests are idempotent. */
export interface RequestDefinition<Question, Answer> {
  /** Name for error messages. */
  name: string;
  subject: string;
  /** Time limit of one control-plane. */
  limitMs: number;
  question: Validator<Question>;
  reply: Validator<RequestReply<Answer>>;
}

export function defineRequest<Q extends TSchema, A extends TSchema>(
  request: { name: string; subject: string; limitMs: number },
  question: Q,
  answer: A,
): RequestDefinition<Static<Q>, Static<A>> {
  const { name } = request;
  const reply: Validator<unknown> = compileValidator(
    `reply to ${name}`,
    Type.Union([Closed({ answer }), Closed({ failure: Failure })]),
  );
  return {
    ...request,
    question: compileValidator(name, question),
    reply: reply as Validator<RequestReply<Static<A>>>,
  };
}
