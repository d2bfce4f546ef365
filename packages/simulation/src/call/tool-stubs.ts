import type { CallToolSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { ClientToolResult } from '@calls/api-contract/data-messages/tool-results';
import { durationToMs } from '@calls/api-contract/duration';
import type { TestScenario, ToolStub } from '@calls/api-contract/rest/test-scenario';
import type { Clock } from '@calls/foundation/clock';
import { omit } from '@calls/foundation/omit';

type Invocation = ServerMessage & { type: 'client_tool_invocation' };

const DEFAULT_DELAY_MS = 200;

/**
 * The stubs of a scenario. A stubbed tool becomes a tool of the client, which the simulated caller answers: its parameters,
 * timeout and result have the same rules as those of the real one.
 */
export class ToolStubs {
  readonly #stubs: ReadonlyMap<string, readonly ToolStub[]>;
  readonly #calls = new Map<string, number>();
  readonly #clock: Clock;
  readonly #respond: (result: ClientToolResult) => void;
  /** Names of tools that were called without a stub. */
  readonly missing = new Set<string>();

  constructor(tools: TestScenario['tools'], clock: Clock, respond: (result: ClientToolResult) => void) {
    this.#stubs = new Map(Object.entries(tools ?? {}).map(([name, stubs]) => [name, [stubs].flat()]));
    this.#clock = clock;
    this.#respond = respond;
  }

  /** The stage with its tools stubbed. Built-in tools work in simulated calls, unless the scenario has a stub. */
  apply(stage: StageSpec): StageSpec {
    return { ...stage, tools: stage.tools.map((tool) => (this.#isStubbed(tool) ? ofClient(tool) : tool)) };
  }

  #isStubbed({ name, builtIn }: CallToolSpec): boolean {
    return this.#stubs.has(name) || builtIn === null || builtIn === 'queryCorpus';
  }

  invoke({ toolName, invocationId }: Invocation): void {
    const stubs = this.#stubs.get(toolName) ?? [];
    const call = this.#calls.get(toolName) ?? 0;
    this.#calls.set(toolName, call + 1);
    const stub = stubs[Math.min(call, stubs.length - 1)];
    if (!stub) this.missing.add(toolName);
    const delayMs = stub?.delay === undefined ? DEFAULT_DELAY_MS : durationToMs(stub.delay);
    const result = resultOf(stub ?? { error: 'the scenario has no stub for this tool' });
    this.#clock.setTimer(delayMs, () =>
      this.#respond({ type: 'client_tool_result', invocationId, ...result }),
    );
  }
}

function ofClient(tool: CallToolSpec): CallToolSpec {
  return {
    ...tool,
    builtIn: null,
    definition: { ...omit(tool.definition, 'http', 'dataConnection', 'mcp'), client: {} },
  };
}

function resultOf(stub: ToolStub): Omit<ClientToolResult, 'type' | 'invocationId'> {
  const { result = '', error, responseType, agentReaction, updateCallState } = stub;
  return {
    ...(error === undefined
      ? { result: typeof result === 'string' ? result : JSON.stringify(result) }
      : { errorType: 'implementation-error' as const, errorMessage: error }),
    ...(responseType && { responseType }),
    ...(agentReaction && { agentReaction }),
    ...(updateCallState && { updateCallState }),
  };
}
