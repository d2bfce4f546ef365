import { Type, type Static, type TSchema } from 'typebox';
import { Closed } from '../rest/common.ts';
import { compileValidator, type Validator } from '../validation/validator.ts';

/** What keeps a question from being answered, in the terms of an AppError. */
const Failure = Closed({
  code: Type.String({ maxLength: 100 }),
  message: Type.String(),
  retryable: Type.Boolean(),
});

export type RequestReply<Answer> = { answer: Answer } | { failure: Static<typeof Failure> };

/**
 * A kind of question that media workers ask control-planes by request and reply: any one of them answers. Asking twice has
 * no more effect than asking once.
 */
export interface RequestDefinition<Question, Answer> {
  /** In messages of errors. */
  name: string;
  subject: string;
  /** How long one control-plane may take. */
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
