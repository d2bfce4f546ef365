/** The state of the conversation. */
export type AgentState = 'idle' | 'listening' | 'thinking' | 'speaking';

export type MessageMedium = 'voice' | 'text';

export type ToolErrorType = 'undefined' | 'implementation-error';

interface ToolCall {
  toolName: string;
  invocationId: string;
  parameters: Readonly<Record<string, unknown>>;
}

/**
 * All data messages of the service. Later releases may add types: a `switch` needs a `default` that ignores them.
 * Types other than `call_started`, `pong`, `state`, `transcript` and `client_tool_invocation` must be enabled.
 */
export type ServerMessage =
  /** The first message. `reconnectGraceMs`: how long the service waits for a disconnected client. */
  | { type: 'call_started'; callId: string; reconnectGraceMs?: number }
  | { type: 'pong'; timestamp: number }
  | { type: 'state'; state: AgentState }
  | {
      type: 'transcript';
      role: 'user' | 'agent';
      medium: MessageMedium;
      /** Replaces the text of this ordinal. Null if `delta` is set. */
      text: string | null;
      /** Appended to the text of this ordinal. Null if `text` is set. */
      delta: string | null;
      final: boolean;
      /** Position of the utterance in the conversation, from 0. */
      ordinal: number;
    }
  | ({ type: 'client_tool_invocation' } & ToolCall)
  | ({ type: 'data_connection_tool_invocation' } & ToolCall)
  | ({ type: 'invoking_tool' } & ToolCall)
  /** Has either `result` or `errorType`. */
  | {
      type: 'tool_used';
      toolName: string;
      invocationId: string;
      result?: string;
      errorType?: ToolErrorType;
      durationMs: number;
    }
  | { type: 'playback_clear_buffer' }
  | { type: 'debug'; message: string }
  | {
      type: 'call_event';
      /** Time since the join, such as "1.25s". */
      callTimestamp: string;
      severity: 'debug' | 'info' | 'warning' | 'error';
      eventType: string;
      text: string;
      extras: Record<string, unknown> | null;
    }
  | { type: 'user_started_speaking'; callTimestamp: string }
  | { type: 'user_stopped_speaking'; callTimestamp: string }
  /** What the user has said so far. Replaces the previous one; empty when the words are a message or were dismissed. */
  | { type: 'interim_transcript'; text: string };

interface ToolResult {
  invocationId: string;
  result?: string;
  responseType?: 'tool-response' | 'hang-up' | 'new-stage';
  agentReaction?: 'speaks' | 'listens' | 'speaks-once';
  errorType?: ToolErrorType;
  errorMessage?: string;
  updateCallState?: Record<string, unknown>;
}

/** All data messages that a client can send. */
export type ClientMessage =
  | { type: 'ping'; timestamp: number }
  | { type: 'user_text_message'; text: string; urgency?: 'immediate' | 'soon' | 'later' }
  | { type: 'input_text_message'; text: string; deferResponse?: boolean }
  /** DTMF keys that the user pressed: `0` to `9`, `*`, `#`, `A` to `D`. */
  | { type: 'dtmf'; digits: string }
  | { type: 'set_output_medium'; medium: MessageMedium }
  | {
      type: 'forced_agent_message';
      content?: string;
      toolCalls?: { id?: string; name: string; arguments: Record<string, unknown> }[];
      uninterruptible?: boolean;
      urgency?: 'immediate' | 'soon';
    }
  /** The call ends after the agent has said `message`. */
  | { type: 'hang_up'; message?: string }
  | ({ type: 'client_tool_result' } & ToolResult)
  | ({ type: 'data_connection_tool_result' } & ToolResult);
