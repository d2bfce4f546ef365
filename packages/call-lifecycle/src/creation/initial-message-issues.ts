import type { Message } from '@calls/api-contract/rest/message';
import type { Issue } from '@calls/foundation/schema/validator';
import { valueAt } from './values-at.ts';

/** Issues of messages that cannot be sent to a model. The schema allows each field in each message. */
export function initialMessageIssues(body: unknown): Issue[] {
  const messages = valueAt(body, 'initialMessages');
  if (!Array.isArray(messages)) return [];
  const checkMessage = messageCheck();
  return messages.flatMap((message: unknown, index) => {
    const issue = checkMessage(message);
    return issue ? [{ ...issue, path: `initialMessages.${index}.${issue.path}` }] : [];
  });
}

/** The messages that can be sent to a model, in order. */
export function usableMessages(messages: readonly Message[]): Message[] {
  const checkMessage = messageCheck();
  return messages.filter((message) => checkMessage(message) === null);
}

/** A message without a role is a user message. */
export function withRole(message: Message): Message {
  const { role = 'MESSAGE_ROLE_UNSPECIFIED' } = message;
  return role === 'MESSAGE_ROLE_UNSPECIFIED' ? { ...message, role: 'MESSAGE_ROLE_USER' } : message;
}

/**
 * Checks the messages of one conversation in order. The check returns null for a usable message. Wrong types are left to the
 * schema.
 */
function messageCheck(): (message: unknown) => Issue | null {
  const calls = new ToolCallsOfHistory();
  return (message) => {
    if (typeof message !== 'object' || message === null) return null;
    const { role, text = '', toolName = '', invocationId = '' } = message as Record<string, unknown>;
    switch (role) {
      case undefined:
      case 'MESSAGE_ROLE_UNSPECIFIED':
      case 'MESSAGE_ROLE_USER':
      case 'MESSAGE_ROLE_AGENT':
        return isBlank(text) ? { path: 'text', message: 'must not be empty' } : null;
      case 'MESSAGE_ROLE_TOOL_CALL':
        if (isBlank(toolName)) return { path: 'toolName', message: 'must name the tool that was called' };
        return calls.add(invocationId);
      case 'MESSAGE_ROLE_TOOL_RESULT':
        return calls.takeResult(invocationId);
      default:
        return null;
    }
  };
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Tool calls and results without an invocation id are matched in order. */
class ToolCallsOfHistory {
  readonly #known = new Set<unknown>();
  readonly #open = new Set<unknown>();
  #openWithoutId = 0;

  add(invocationId: unknown): Issue | null {
    if (invocationId === '') {
      this.#openWithoutId += 1;
      return null;
    }
    if (this.#known.has(invocationId)) {
      return { path: 'invocationId', message: 'must differ from those of all earlier tool calls' };
    }
    this.#known.add(invocationId);
    this.#open.add(invocationId);
    return null;
  }

  takeResult(invocationId: unknown): Issue | null {
    if (invocationId === '') {
      if (this.#openWithoutId === 0) return NO_CALL;
      this.#openWithoutId -= 1;
      return null;
    }
    return this.#open.delete(invocationId) ? null : NO_CALL;
  }
}

const NO_CALL: Issue = {
  path: 'invocationId',
  message: 'must be the invocationId of an earlier tool call without a result',
};
