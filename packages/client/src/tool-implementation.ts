/** What a tool answers with besides, or instead of, a plain string. */
export interface ToolAnswer {
  /** The result that the model gets. With `new-stage`: the stage, as JSON. */
  result?: string;
  /** `tool-response` if not said. */
  responseType?: 'tool-response' | 'hang-up' | 'new-stage';
  /** What the agent does with it; `speaks` if not said. */
  agentReaction?: 'speaks' | 'listens' | 'speaks-once';
  /** Merged into the call's state. */
  updateCallState?: Record<string, unknown>;
}

// What answers nothing needs no return.
// oxlint-disable-next-line typescript/no-invalid-void-type
export type ToolOutcome = string | ToolAnswer | void;

/**
 * Runs when the agent calls the tool. The service waits for as long as the tool's `timeout` says; what comes later is ignored. What
 * it throws, the model learns only as a failure.
 */
export type ToolImplementation = (
  parameters: Readonly<Record<string, unknown>>,
) => ToolOutcome | Promise<ToolOutcome>;
