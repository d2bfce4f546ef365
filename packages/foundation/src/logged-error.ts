import { toError } from './errors.ts';

/** What a log line says of an error. */
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
 * The parts of an error that are ours to log. Everything else that a library hung on it is left out: PostgreSQL's errors
 * carry values of rows in `detail`, `where` and `parameters`. Messages may hold values too, so they are cut short.
 */
export function describeError(thrown: unknown, causesLeft = MAX_CAUSES): LoggedError {
  const error = toError(thrown);
  const type = error.constructor.name;
  const message = shortened(error.message);
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

/** The lines of the stack below the message, which the stack repeats in full. */
function framesOf({ stack, message }: Error): string[] {
  if (typeof stack !== 'string') return [];
  const at = stack.indexOf(message);
  const trace = at === -1 ? stack : stack.slice(at + message.length);
  return trace
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, MAX_FRAMES);
}

/** The same without any message, of whatever caused it too. */
export function describeErrorWithoutWords(thrown: unknown): LoggedError {
  return wordless(describeError(thrown));
}

function wordless({ cause, ...error }: LoggedError): LoggedError {
  const stack = error.stack.replace(`: ${error.message}`, '');
  return { ...error, message: '', stack, ...(cause && { cause: wordless(cause) }) };
}

function codeOf(error: Error): string | number | undefined {
  if (!('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

function shortened(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH)}…`;
}
