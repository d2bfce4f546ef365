import type { InactivityMessageSpec } from '@calls/api-contract/call-spec';
import type { Urgency } from '@calls/api-contract/data-messages/client-messages';
import type { ForcedToolCall } from '@calls/api-contract/data-messages/forced-agent-message';
import type { AgentState, MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { InterruptedCalls } from '../tools/tool-interruption.ts';
import type { SpeechEdge } from '../vad/speech-segmenter.ts';
import type { SpeechEvidence } from './transcript/echo.ts';
import type { PhoneMenu, TurnSettings } from './turn-settings.ts';
import type { TurnTimer } from './turn-timer.ts';

/** Ids count up through a call. Effects and events with an outdated id are ignored. */
export type GenerationId = number;
export type UtteranceId = number;

/** How a call ends. `transferTo`: the phone number or SIP URI to transfer the phone call to. */
export interface CallEnd {
  reason: EndReason;
  transferTo?: string;
}

/** What the agent is to say. */
export type Cue =
  /** Opens the conversation: with this text, this prompt, or the system prompt alone. */
  | { kind: 'greeting'; text: string | null; prompt: string | null }
  /** Responds to the history. `continues`: the user continued their newest turn. `replaces`: the agent's cut-off message. */
  | { kind: 'reply'; continues?: boolean; replaces?: boolean }
  /** Plays a stock phrase. */
  | { kind: 'phrase'; phrase: Phrase }
  /** Plays this text verbatim and calls these tools. */
  | { kind: 'words'; text: string; toolCalls?: readonly ForcedToolCall[] };

/** Stock phrases for errors and delays. */
export type Phrase = 'not_understood' | 'trouble' | 'giving_up' | 'one_moment' | 'back_again';

/** How the transcript of an utterance is classified. */
export type TranscriptKind =
  | 'nothing'
  /** An echo of the agent's voice. */
  | 'echo'
  /** "Mm-hm": a turn only if the agent is not audible. */
  | 'backchannel'
  | 'words';

/** Transcription of the utterance so far. Only the newest revision counts. */
export type Recognition =
  | { status: 'none' }
  | { status: 'pending'; revision: number }
  | { status: 'known'; revision: number; text: string; meaning: TranscriptKind }
  | { status: 'failed'; revision: number };

/** State of end-of-turn detection, which starts once the transcript is known. */
export type TurnEnd =
  | { status: 'unknown' }
  | { status: 'asked' }
  /** The result, while turnEndpointDelay has not passed. */
  | { status: 'judged'; extraWaitMs: number }
  /** turnEndpointDelay has passed; the turn is held open for more speech. */
  | { status: 'held' }
  | { status: 'over' };

/** What the agent was doing when an utterance began; `agentStarting`: under the echo guard. */
export type AgentActivity = 'silence' | 'agentStarting' | 'agent';

/** The user's current utterance. */
export interface UserTurn {
  utterance: UtteranceId;
  speaking: boolean;
  over: AgentActivity;
  /** Whether its audio is buffered from the beginning, as the model accepts audio. */
  hasSound: boolean;
  /** Long enough for a turn (minimumTurnDuration). */
  isTurn: boolean;
  /** Long enough for an interruption (minimumInterruptionDuration). */
  interrupts: boolean;
  /** Softer than the user has been, so it may be another person. Such speech does not pause the agent. */
  isSoft: boolean;
  /** Silence has lasted for turnEndpointDelay. */
  ended: boolean;
  recognition: Recognition;
  /** The newest transcript, interim or final; used if transcription fails or returns nothing. */
  words: { text: string; isWhole: boolean; evidence: SpeechEvidence } | null;
  /** It ended before an urgent agent message or a filler, so it is answered after that and does not interrupt it. */
  yields: boolean;
  /** The turn ended before another agent message, so it needs a response afterwards, if only an apology. */
  needsResponse: boolean;
  /** It continues the previous turn; both are one message. */
  continues: boolean;
  /** Number of the newest transcription request for this utterance. */
  revision: number;
  end: TurnEnd;
  /** The speculative generation, and the words that it assumes; empty if it got the audio. */
  speculative: { generation: GenerationId; text: string } | null;
  check: LongSpeechCheck;
}

/** Whether speech that continues still has new words. */
export interface LongSpeechCheck {
  /** Checks so far. */
  number: number;
  /** The transcript of this request, or a newer one, decides the newest check; null once it has. */
  revision: number | null;
  /** Letters and digits of the transcript that decided the last check; null before the first. */
  letters: number | null;
}

/** The agent's current response. */
export interface AgentTurn {
  generation: GenerationId;
  audible: boolean;
  interruptible: boolean;
  /**
   * `start`: echo is likely, so speech must outlast the guard or have words. `words`: echo was detected; only
   * words count.
   */
  guard: 'none' | 'start' | 'words';
  /** A backchannel over the response: the reply to it if the response ends soon. */
  aside: { utterance: UtteranceId; text: string } | null;
  /** An apology: playing it to its end does not reset the error count. */
  apology: boolean;
  /** The user pressed a key during the response; text will follow. */
  isAnswered: boolean;
  /** Whether its tools run, and whether that was reported. */
  tools: 'idle' | 'running' | 'reported';
  /** How the call ends after the response; null if it continues. */
  thenEnd: CallEnd | null;
}

/** A message received while the agent had the floor; added to the history when the agent is done. */
export interface PendingMessage {
  /** Null: requests a response to what is already in the history. */
  text: string | null;
  medium: MessageMedium;
  /** The utterances it was spoken in. */
  utterances: readonly UtteranceId[];
  /** False if no response is wanted. */
  wantsReply: boolean;
}

/** Text that the agent must say verbatim. */
export interface ForcedMessage {
  text: string;
  interruptible: boolean;
  toolCalls?: readonly ForcedToolCall[];
}

/** State of the inactivity timer. Silence does not count while `isOnHold`. */
export interface InactivityMemory {
  messages: readonly InactivityMessageSpec[];
  next: number;
  /**
   * `due`: waits for the floor. `hangingUp`: the call ends when the floor is free unless the user responds.
   * `awaitingAnswer`: time to respond to a written message; `hangingUp` follows.
   */
  phase: 'idle' | 'counting' | 'due' | 'awaitingAnswer' | 'hangingUp';
  isOnHold: boolean;
}

/** Tracks whether the user waits for a response. */
export interface ResponseWatch {
  /** A user turn has had no response yet. */
  owed: boolean;
  /** The timer `response_due` is running. */
  running: boolean;
  /** The timer has fired once. */
  late: boolean;
}

/**
 * Why the agent only listens: an answering machine may be on the line, a supervisor speaks in its place, or the user is
 * transferred.
 */
export type MuteReason = 'answer_detection' | 'supervisor' | 'transfer';

/** State that persists across states of the turn. */
export interface TurnMemory {
  nextGeneration: GenerationId;
  nextUtterance: UtteranceId;
  /** At most MAX_PENDING_MESSAGES written messages, dropping the oldest; spoken ones are never dropped. */
  pending: readonly PendingMessage[];
  /** Messages that wait for the floor; bounded like `pending`. */
  forced: readonly ForcedMessage[];
  /** Waits for its delay or (`due`) for the floor. */
  opening: { cue: Cue; interruptible: boolean; due: boolean } | null;
  inactivity: InactivityMemory;
  settings: TurnSettings;
  /** Null: the user is a person, as far as is known. */
  menu: PhoneMenu | null;
  /** Consecutive failed responses or transcriptions. */
  failures: number;
  watch: ResponseWatch;
  /**
   * Null: later speech is a new turn. Otherwise it continues the newest turn: its response is not playing yet, or has
   * `begun` so recently that the user may not have finished.
   */
  unfinished: { begun: boolean } | null;
  /** The newest utterance was ended by noise that continues: the next one is that noise, as far as is known. */
  isNoisy: boolean;
  announced: AgentState;
}

export type TurnState =
  | { kind: 'listening'; memory: TurnMemory }
  | { kind: 'userSpeaking'; memory: TurnMemory; user: UserTurn }
  /** The user paused; waits for the endpoint, the transcript, or both. */
  | { kind: 'endpointing'; memory: TurnMemory; user: UserTurn }
  /** `user`: speech over the agent that has not interrupted it. */
  | { kind: 'responding'; memory: TurnMemory; agent: AgentTurn; user: UserTurn | null }
  /** Playout is ducked, and paused after `duckMs`, until the transcript shows whether the user takes the floor. */
  | {
      kind: 'interrupted';
      memory: TurnMemory;
      agent: AgentTurn;
      user: UserTurn;
      playout: 'ducked' | 'paused';
    }
  /** The agent listens without responding while there is a reason. `user`: the current utterance. */
  | { kind: 'muted'; memory: TurnMemory; user: UserTurn | null; reasons: readonly MuteReason[] }
  /** `user`: an utterance whose transcript is pending; it becomes the last message of the call. */
  | { kind: 'closed'; memory: TurnMemory; user: UserTurn | null };

export type OpenState = Exclude<TurnState, { kind: 'closed' }>;

export type TurnEvent =
  | { type: 'opened'; opening: Opening }
  | { type: 'speech'; edge: SpeechEdge }
  /** An interim transcript. `isWhole`: it covers all speech of the utterance, which has paused. */
  | { type: 'words_heard'; utterance: UtteranceId; text: string; isWhole: boolean; evidence: SpeechEvidence }
  | { type: 'transcribed'; utterance: UtteranceId; revision: number; text: string; evidence: SpeechEvidence }
  | { type: 'transcription_failed'; utterance: UtteranceId; revision: number }
  /** Result of `assess_end`: how long to wait from now, or from the endpoint if that is still to come. */
  | { type: 'end_assessed'; utterance: UtteranceId; revision: number; extraWaitMs: number }
  | { type: 'text_received'; text: string; urgency: Urgency }
  /** A DTMF key; the collected keys follow as text. */
  | { type: 'key_pressed' }
  /** Makes the agent say `words` when the floor is free, or at once. */
  | { type: 'words_forced'; words: ForcedMessage; atOnce: boolean }
  | { type: 'audio_started'; generation: GenerationId }
  /** The first words of a text response were sent. */
  | { type: 'text_shown'; generation: GenerationId }
  /** `tools_started`: a committed response waits for a tool. `tools_settled`: none of its tools is running any more. */
  | { type: 'tools_started' | 'tools_settled'; generation: GenerationId }
  /** Playback ran dry because tools are running or a provider is slow. `audio_started` or `spoken` follows. */
  | { type: 'fell_silent'; generation: GenerationId }
  /** The response was played or sent as text (`medium`). `failed`: an error ended it. `endsWithTools`: tools did. */
  | {
      type: 'spoken';
      generation: GenerationId;
      failed: boolean;
      medium: MessageMedium;
      endsWithTools?: boolean;
      next?: AfterResponse;
    }
  /** A stage began. Its inactivity messages start from the first. */
  | ({ type: 'stage_changed'; inactivityMessages: readonly InactivityMessageSpec[] } & Partial<TurnSettings>)
  /** A tool ends the call: the response can no longer be interrupted, and the call ends after it. */
  | ({ type: 'answer_is_last'; generation: GenerationId } & CallEnd)
  /** Something happened that the agent must respond to when the floor is free. */
  | { type: 'reply_wanted' }
  | { type: 'timer_fired'; timer: TurnTimer }
  /** Interrupts the agent until `agent_unmuted` for every reason; then it responds to what was said meanwhile. */
  | { type: 'agent_muted' | 'agent_unmuted'; reason: MuteReason }
  /** A phone menu speaks, or no longer does (null). */
  | { type: 'menu_changed'; menu: PhoneMenu | null }
  | { type: 'speculation_changed'; speculation: boolean }
  /** The user has put the agent on hold, or is back. */
  | { type: 'hold_changed'; isOnHold: boolean }
  /** Plays a final message (if any), then ends the call. A final message that is playing is not replaced. */
  | ({ type: 'ending'; words: string } & CallEnd)
  /** The client disconnected and may reconnect to another session. */
  | { type: 'suspended' }
  | { type: 'closed' };

/** What follows a completed response; by default, pending messages. */
export type AfterResponse =
  | { kind: 'yield' }
  /** A tool hangs up; `unlessAnswered`: unless the user responds at once. */
  | { kind: 'hang_up'; unlessAnswered: boolean; transferTo?: string };

export type Opening =
  | { who: 'agent'; delayMs: number; cue: Cue; uninterruptible: boolean }
  | { who: 'user'; fallback: { delayMs: number; cue: Cue } | null };

export type TurnEffect =
  | { type: 'open_utterance'; utterance: UtteranceId }
  | { type: 'transcribe'; utterance: UtteranceId; revision: number }
  | { type: 'close_utterance'; utterance: UtteranceId }
  /** The user has finished, although the VAD reports speech: more of it begins a new utterance. */
  | { type: 'end_utterance'; utterance: UtteranceId }
  /** Requests end-of-turn detection for this transcript. */
  | { type: 'assess_end'; utterance: UtteranceId; revision: number; text: string }
  /**
   * Adds a message to history and transcript. `utterances`: where it was spoken. `continues`: it is appended to
   * the previous spoken message.
   */
  | {
      type: 'add_user_message';
      text: string;
      medium: MessageMedium;
      utterances: readonly UtteranceId[];
      continues?: boolean;
    }
  /** `assuming`: what the generation assumes the user said, beyond the history. */
  | { type: 'start_generation'; generation: GenerationId; cue: Cue; assuming: Assumption | null }
  /** The response may be played from now on. */
  | { type: 'commit_generation'; generation: GenerationId }
  /** The generation was not committed; it leaves no trace. */
  | { type: 'discard_generation'; generation: GenerationId }
  /** Plays at lower volume, not at all, or at full volume. */
  | { type: 'duck_playout' | 'pause_playout' | 'resume_playout'; generation: GenerationId }
  /** The user may be taking the floor from the response, or no longer: between these, none of its tools starts. */
  | { type: 'hold_tools' | 'release_tools'; generation: GenerationId }
  /** The utterance becomes no message. `text`: its transcript, if any. */
  | { type: 'dismiss_speech'; utterance: UtteranceId; reason: Dismissal; text: string }
  /** Stops the response; what was played remains in the history. `interruptedCalls`: absent if the user is not the cause. */
  | { type: 'interrupt_generation'; generation: GenerationId; interruptedCalls?: InterruptedCalls }
  /** Plays a filler phrase before a slow response. */
  | { type: 'fill_silence'; generation: GenerationId }
  /** A user turn has no response yet, or none at all. */
  | { type: 'report_missing_response'; reason: MissingResponse }
  /** A phone menu said nothing for this long; a response follows. */
  | { type: 'report_menu_silence'; silenceMs: number }
  | { type: 'announce'; state: AgentState }
  | { type: 'start_timer'; timer: TurnTimer; delayMs: number }
  | { type: 'cancel_timer'; timer: TurnTimer }
  | ({ type: 'end_call' } & CallEnd);

export type Assumption =
  | { kind: 'words'; text: string }
  /** The audio of an open utterance. */
  | { kind: 'sound'; utterance: UtteranceId };

/** `not_transcribed`: speech-to-text failed. `too_short`: shorter than the minimum for a turn or an interruption. */
export type Dismissal = Exclude<TranscriptKind, 'words'> | 'not_transcribed' | 'too_short';

/**
 * Why a response is missing: it has no text, has tool calls only, or part of it takes longer than RESPONSE_LIMIT_MS.
 */
export type MissingResponse =
  | 'nothing_to_say'
  | 'tools_only'
  | 'recognition_late'
  | 'response_late'
  | 'tool_running';

export interface TurnStep {
  state: TurnState;
  effects: readonly TurnEffect[];
}
