import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { ClientToolResult } from '@calls/api-contract/data-messages/tool-results';
import { CallError, toCallError } from './call-error.ts';
import { checkSize } from './message-size.ts';
import type { ToolResult, ToolImplementation, ToolOutcome } from './application-types.ts';

export type ToolInvocation = Extract<ServerMessage, { type: 'client_tool_invocation' }>;

const MAX_ERROR_LENGTH = 2000;

/** The client tools of a session. Calls run concurrently. */
export class Tools {
  readonly #implementations = new Map<string, ToolImplementation>();
  readonly #running = new Set<string>();

  /** Replaces an earlier implementation; null removes it. */
  register(name: string, implementation: ToolImplementation | null): void {
    if (implementation) this.#implementations.set(name, implementation);
    else this.#implementations.delete(name);
  }

  registerAll(implementations: Readonly<Record<string, ToolImplementation>>): void {
    for (const [name, implementation] of Object.entries(implementations)) this.register(name, implementation);
  }

  /** Runs a tool and sends its result. Passes errors to `onFailure`; never rejects. */
  async answer(
    invocation: ToolInvocation,
    send: (result: ClientToolResult) => void,
    onFailure: (error: CallError) => void,
  ): Promise<void> {
    const result = await this.run(invocation, onFailure);
    try {
      if (result) send(result);
    } catch (thrown) {
      onFailure(toCallError(thrown, 'tool_failed'));
    }
  }

  /** Resolves with the result to send; null if the invocation already runs. Passes errors to `onFailure`; never rejects. */
  async run(
    { toolName, invocationId, parameters }: ToolInvocation,
    onFailure: (error: CallError) => void,
  ): Promise<ClientToolResult | null> {
    if (this.#running.has(invocationId)) return null;
    const implementation = this.#implementations.get(toolName);
    if (!implementation) {
      const message = `no implementation of the tool "${toolName}" is registered`;
      onFailure(new CallError('tool_failed', message));
      return { type: 'client_tool_result', invocationId, errorType: 'undefined', errorMessage: message };
    }
    this.#running.add(invocationId);
    try {
      const outcome = await implementation(parameters);
      // Null counts as no result, although the types do not allow it.
      const answer = isResult(outcome) ? outcome : { result: outcome ?? '' };
      const message = { type: 'client_tool_result', invocationId, ...readResult(answer) } as const;
      checkSize(message);
      return message;
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      onFailure(new CallError('tool_failed', `the tool "${toolName}" failed: ${message}`, thrown));
      return {
        type: 'client_tool_result',
        invocationId,
        errorType: 'implementation-error',
        errorMessage: message.slice(0, MAX_ERROR_LENGTH),
      };
    } finally {
      this.#running.delete(invocationId);
    }
  }
}

function isResult(outcome: ToolOutcome | null): outcome is ToolResult {
  return typeof outcome === 'object' && outcome !== null;
}

/** Throws for values that the service would drop, so that mistakes are visible here. */
function readResult({ result, responseType, agentReaction, updateCallState }: ToolResult): ToolResult {
  if (result !== undefined && typeof result !== 'string') throw new TypeError('result must be a string');
  return {
    ...(result === undefined ? {} : { result }),
    ...(responseType === undefined ? {} : { responseType }),
    ...(agentReaction === undefined ? {} : { agentReaction }),
    ...(updateCallState === undefined ? {} : { updateCallState }),
  };
}
