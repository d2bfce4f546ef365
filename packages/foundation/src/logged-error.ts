import { toError } from './errors.ts';
import { shortened } from './shortened.ts';

/** The fields of an error in a log line. */
export interface LoggedError {
  type: string;
  message: string;
  code?: string | number;
  stack: string;
  cause?: LoggedError;
}

const MAX_MESSAGE_LENGTH = 500;
const MAX_FRAMES = 30;
const MAX_CAUSES = 4;

/**
 * The safe parts of an error for logs. Leaves out properties that libraries add: PostgreSQL errors contain row values
 * in `detail`, `where` and `parameters`. Messages may contain values as well, so they are truncated.
 */
export function describeError(thrown: unknown, causesLeft = MAX_CAUSES): LoggedError {
  const error = toError(thrown);
  const type = error.constructor.name;
  const message = shortened(error.message, MAX_MESSAGE_LENGTH);
  const code = codeOf(error);
  return {
    type,
    message,
    ...(code !== undefined && { code }),
    stack: [`${type}: ${message}`, ...framesOf(error)].join('\n'),
    ...(causesLeft > 0 &&
      Error.isError(error.cause) && { cause: describeError(error.cause, causesLeft - 1) }),
  };
}

/** The stack without the message that it repeats. */
function framesOf({ stack, message }: Error): string[] {
  if (typeof stack !== 'string') return [];
  const at = stack.indexOf(message);
  const trace = at === -1 ? stack : stack.slice(at + message.length);
  return trace
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, MAX_FRAMES);
}

/** The same without messages, including those of causes. */
export function describeErrorWithoutContent(thrown: unknown): LoggedError {
  return withoutMessages(describeError(thrown));
}

function withoutMessages({ cause, ...error }: LoggedError): LoggedError {
  const stack = error.stack.replace(`: ${error.message}`, '');
  return { ...error, message: '', stack, ...(cause && { cause: withoutMessages(cause) }) };
}

function codeOf(error: Error): string | number | undefined {
  if (!('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}
