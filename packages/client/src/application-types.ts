/** The result of a tool, if it is more than a string. */
export interface ToolResult {
  /** Result for the model. For `new-stage`: the stage as JSON. */
  result?: string;
  /** Default `tool-response`. */
  responseType?: 'tool-response' | 'hang-up' | 'new-stage';
  /** The agent's reaction; default `speaks`. */
  agentReaction?: 'speaks' | 'listens' | 'speaks-once';
  /** Merged into the call state. */
  updateCallState?: Record<string, unknown>;
}

// A tool without a result needs no return statement.
// oxlint-disable-next-line typescript/no-invalid-void-type
export type ToolOutcome = string | ToolResult | void;

/**
 * Called when the agent calls the tool. The service waits for the tool's `timeout` and ignores later results. If it
 * throws, the model only learns that the tool failed.
 */
export type ToolImplementation = (
  parameters: Readonly<Record<string, unknown>>,
) => ToolOutcome | Promise<ToolOutcome>;

/** One utterance as known so far. */
export interface Transcript {
  readonly role: 'user' | 'agent';
  readonly medium: 'voice' | 'text';
  readonly text: string;
  /** Whether the text is final. */
  readonly isFinal: boolean;
  /** Position in the conversation, from 0. */
  readonly ordinal: number;
}
