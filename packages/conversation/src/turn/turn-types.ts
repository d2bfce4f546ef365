import type { InactivityMessageSpec } from '@calls/api-contract/call-spec';
import type { Urgency } from '@calls/api-contract/data-messages/client-messages';
import type { ForcedToolCall } from '@calls/api-contract/data-messages/forced-agent-message';
import type { AgentState, MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { SpeechEdge } from '../vad/speech-segmenter.ts';
import type { SpeechEvidence } from './transcript/speech-evidence.ts';

/** Counts up through a call. Every effect of an answer carries its id; what carries an old one is ignored. */
export type GenerationId = number;
export type UtteranceId = number;

/** How a call ends. `transferTo`: whom the provider is to connect the phone call with from then on. */
export interface CallEnd {
  reason: EndReason;
  transferTo?: string;
}

/** What the agent is asked to say. */
export type Cue =
  /** Opens the conversation: with these words, by this prompt, or by the system prompt alone. */
  | { kind: 'greeting'; text: string | null; prompt: string | null }
  /** Answers what the history ends with. `continues`: it is to the newest turn of the user's, which went on. */
  | { kind: 'reply'; continues?: boolean }
  /** Says a stock phrase. */
  | { kind: 'phrase'; phrase: Phrase }
  /** Says exactly this, and calls these tools. */
  | { kind: 'words'; text: string; toolCalls?: readonly ForcedToolCall[] };

/** Stock phrases, for when something does not work, or did not. */
export type Phrase = 'not_understood' | 'trouble' | 'giving_up' | 'one_moment' | 'back_again';

/** What the words of an utterance amount to. */
export type TranscriptKind =
  | 'nothing'
  /** The agent's own voice, come back. */
  | 'echo'
  /** "Mm-hm": takes the turn only where the agent is not heard. */
  | 'backchannel'
  | 'words';

/** What recognition has said of the utterance so far. Only the newest revision counts. */
export type Recognition =
  | { status: 'none' }
  | { status: 'pending'; revision: number }
  | { status: 'known'; revision: number; text: string; meaning: TranscriptKind }
  | { status: 'failed'; revision: number };

export interface InterimTranscript {
  text: string;
  evidence: SpeechEvidence;
}

/** Whether the user has said all they want to, once the words are known. */
export type TurnEnd =
  | { status: 'unknown' }
  | { status: 'asked'; revision: number }
  /** The answer, while turnEndpointDelay still passes. */
  | { status: 'judged'; extraWaitMs: number }
  /** turnEndpointDelay has passed, and the user may go on. */
  | { status: 'held' }
  | { status: 'over' };

/** What the agent was doing when an utterance began: `starting` is the time of the echo guard. */
export type AgentActivity = 'silence' | 'agentStarting' | 'agent';

/** The user's side, while there is an utterance. */
export interface UserTurn {
  utterance: UtteranceId;
  speaking: boolean;
  over: AgentActivity;
  /** Its sound can be had from its beginning on: the model took sound by then. */
  hasSound: boolean;
  /** Long enough to count as a turn. */
  isTurn: boolean;
  /** Long enough to interrupt. */
  interrupts: boolean;
  /** Silence has lasted turnEndpointDelay. */
  ended: boolean;
  recognition: Recognition;
  /** The newest words of it, interim ones included: they count where recognition fails, or takes them back. */
  words: InterimTranscript | null;
  /** It was over before the agent had to say something urgent: it is answered after that, and does not cut it. */
  yields: boolean;
  /** Its turn was over before the agent had to say something else: it has a response after that, if only an apology. */
  needsResponse: boolean;
  /** It goes on with the turn before: both are one message. */
  continues: boolean;
  /** Requests made so far for this utterance; the newest one's number. */
  revision: number;
  end: TurnEnd;
  /** The answer that was begun before the turn ended, if any. */
  speculative: GenerationId | null;
}

/** The agent's side, while it has something to say. */
export interface AgentTurn {
  generation: GenerationId;
  audible: boolean;
  interruptible: boolean;
  /** `start`: its first sound may come back, so speech over it must last, or have words. `words`: it did; only words count. */
  guard: 'none' | 'start' | 'words';
  /** A backchannel over what it says now: the answer to it, should this be its end. */
  aside: { utterance: UtteranceId; text: string } | null;
  /** A stock phrase about a fault: hearing it to the end does not mean that things work again. */
  apology: boolean;
  /** The user has pressed a key over it: words of theirs will follow. */
  isAnswered: boolean;
  /** Whether its tools run, and the response watch has reported that. */
  tools: 'idle' | 'running' | 'reported';
  /** The call ends so once all was heard. */
  thenEnd: CallEnd | null;
}

/** What came while the agent had the floor; goes to the history when the agent is done. */
export interface PendingMessage {
  /** Null: what is to be answered is in the history already. */
  text: string | null;
  medium: MessageMedium;
  /** Of speech: what was said in it. */
  utterances: readonly UtteranceId[];
  /** False where only the history should know. */
  wantsReply: boolean;
}

/** What the agent was told to say, word by word. */
export interface ForcedMessage {
  text: string;
  interruptible: boolean;
  toolCalls?: readonly ForcedToolCall[];
}

/** An opening of the agent that waits for its delay, or (`due`) for the floor. */
export interface PendingOpening {
  cue: Cue;
  interruptible: boolean;
  due: boolean;
}

/** What the stage and the service say about turns. */
export interface TurnSettings {
  languageHint: string | null;
  /** The model takes the user's sound: an answer can be begun before the words are known. */
  hearsAudio: boolean;
  /** Answers are begun while the turn may still go on. */
  speculation: boolean;
}

/** Which of the messages to a silent user comes next. */
export interface InactivityMemory {
  messages: readonly InactivityMessageSpec[];
  next: number;
  /**
   * `due`: waits for the floor. `hangingUp`: the call ends when the floor is free and the user has not answered.
   * `awaitingAnswer`: the user has time to answer what was written; `hangingUp` follows.
   */
  phase: 'idle' | 'counting' | 'due' | 'awaitingAnswer' | 'hangingUp';
}

/** Whether the user waits for the agent. */
export interface ResponseWatch {
  /** A turn of the user's has had no response yet. */
  owed: boolean;
  /** The timer `response_due` runs. */
  running: boolean;
  /** It has run out once. */
  late: boolean;
}

/** What stays across states. */
export interface TurnMemory {
  nextGeneration: GenerationId;
  nextUtterance: UtteranceId;
  /** At most MAX_PENDING_MESSAGES texts, of which the oldest go first; speech is never dropped. */
  pending: readonly PendingMessage[];
  /** Wait for the floor; as many as pending messages. */
  forced: readonly ForcedMessage[];
  opening: PendingOpening | null;
  inactivity: InactivityMemory;
  settings: TurnSettings;
  /** Answers or recognitions that failed one after the other. */
  failures: number;
  watch: ResponseWatch;
  /**
   * Null: what the user says next is another turn. Otherwise it belongs to the newest one: the response to that is not played
   * yet, or has `begun` so short a time ago that the user may not have been done.
   */
  unfinished: { begun: boolean } | null;
  announced: AgentState;
}

export type TurnState =
  | { kind: 'listening'; memory: TurnMemory }
  | { kind: 'userSpeaking'; memory: TurnMemory; user: UserTurn }
  /** The user paused; waits for the endpoint, for the words, or both. */
  | { kind: 'endpointing'; memory: TurnMemory; user: UserTurn }
  /** `user`: speech over the agent that has not interrupted it (yet). */
  | { kind: 'responding'; memory: TurnMemory; agent: AgentTurn; user: UserTurn | null }
  /** The agent is paused until it shows whether the user said words. */
  | { kind: 'interrupted'; memory: TurnMemory; agent: AgentTurn; user: UserTurn }
  /** `user`: words of the user's last speech are still to come; they are the last message of the call. */
  | { kind: 'closed'; memory: TurnMemory; user: UserTurn | null };

export type TurnTimer =
  /** The agent's opening is delayed. */
  | 'opening'
  /** The user has not said anything since the agent was done. */
  | 'inactivity'
  /** An interruption without words so far. */
  | 'resume'
  /** The agent has just begun to be heard. */
  | 'echo_guard'
  /** A backchannel over the agent may still turn out to be an answer. */
  | 'aside'
  /** The user's sentence seems to go on. */
  | 'hold'
  /** The user's turn is over and no sound has answered it. */
  | 'reply_overdue'
  /** The agent must have spoken by then. */
  | 'response_due'
  /** What the user says now still belongs to their turn before. */
  | 'continuation';

export type TurnEvent =
  | { type: 'opened'; opening: Opening }
  | { type: 'speech'; edge: SpeechEdge }
  /** Interim words of the utterance. */
  | { type: 'words_heard'; utterance: UtteranceId; text: string; evidence: SpeechEvidence }
  | {
      type: 'transcribed';
      utterance: UtteranceId;
      revision: number;
      text: string;
      evidence: SpeechEvidence;
    }
  | { type: 'transcription_failed'; utterance: UtteranceId; revision: number }
  /** The detector's answer to `assess_end`: how long to wait from now on, or from the endpoint on if that is still to come. */
  | { type: 'end_assessed'; utterance: UtteranceId; revision: number; extraWaitMs: number }
  | { type: 'text_received'; text: string; urgency: Urgency }
  /** On a phone: what the keys amount to follows as text. */
  | { type: 'key_pressed' }
  /** To be said when nobody speaks, or at once. */
  | { type: 'words_forced'; words: ForcedMessage; atOnce: boolean }
  | { type: 'audio_started'; generation: GenerationId }
  /** The first words of a response in text. */
  | { type: 'text_shown'; generation: GenerationId }
  /** A committed response waits for at least one tool. */
  | { type: 'tools_started'; generation: GenerationId }
  /** None of its tools runs any more. */
  | { type: 'tools_settled'; generation: GenerationId }
  /** What there was to hear of it so far has been heard: tools run, or engines are slow. `audio_started` follows, or `spoken`. */
  | { type: 'fell_silent'; generation: GenerationId }
  /** All there was to say was played, or sent as text (`medium`); `failed`: it was cut short by a fault. */
  | {
      type: 'spoken';
      generation: GenerationId;
      failed: boolean;
      medium: MessageMedium;
      next?: AfterResponse;
    }
  /** Another stage has begun: its messages to a silent user are counted from their first. */
  | {
      type: 'stage_changed';
      inactivityMessages: readonly InactivityMessageSpec[];
      languageHint: string | null;
      hearsAudio: boolean;
    }
  /** A tool ends the call: what this answer has to say is heard to its end, whoever else speaks, and then it ends. */
  | ({ type: 'answer_is_last'; generation: GenerationId } & CallEnd)
  /** Something came that the agent should speak about as soon as nobody else does. */
  | { type: 'reply_wanted' }
  | { type: 'timer_fired'; timer: TurnTimer }
  /** Says these words (if any), then ends. Last words are not cut for other last words. */
  | ({ type: 'ending'; words: string } & CallEnd)
  /** The client is gone and may come back to another session. */
  | { type: 'suspended' }
  | { type: 'closed' };

/** What follows an answer that was heard: by default whatever waits. */
export type AfterResponse =
  | { kind: 'yield' }
  /** A tool hangs up; `unlessAnswered`: not if the user says something at once. */
  | { kind: 'hang_up'; unlessAnswered: boolean; transferTo?: string };

export type Opening =
  | { who: 'agent'; delayMs: number; cue: Cue; uninterruptible: boolean }
  | { who: 'user'; fallback: { delayMs: number; cue: Cue } | null };

export type TurnEffect =
  | { type: 'open_utterance'; utterance: UtteranceId }
  | { type: 'transcribe'; utterance: UtteranceId; revision: number }
  | { type: 'close_utterance'; utterance: UtteranceId }
  /** Asks whether the user has said all with these words. */
  | { type: 'assess_end'; utterance: UtteranceId; revision: number; text: string }
  /**
   * To the history and the transcript. `utterances`: what was said in these becomes this message. `continues`: it is added to
   * the message before it, which was spoken too.
   */
  | {
      type: 'add_user_message';
      text: string;
      medium: MessageMedium;
      utterances: readonly UtteranceId[];
      continues?: boolean;
    }
  /** `assuming`: what is not in the history yet and the answer takes as said. */
  | { type: 'start_generation'; generation: GenerationId; cue: Cue; assuming: Assumption | null }
  /** From here on it may be heard. */
  | { type: 'commit_generation'; generation: GenerationId }
  /** It was never committed and leaves no trace. */
  | { type: 'discard_generation'; generation: GenerationId }
  | { type: 'pause_playout'; generation: GenerationId }
  | { type: 'resume_playout'; generation: GenerationId }
  /** The utterance is no message. `text`: its words, if any were recognised. */
  | { type: 'dismiss_speech'; utterance: UtteranceId; reason: Dismissal; text: string }
  /** Stops it for good; the history keeps what was heard. */
  | { type: 'interrupt_generation'; generation: GenerationId }
  /** Says a short phrase ahead of an answer that takes long. */
  | { type: 'fill_silence'; generation: GenerationId }
  /** A turn of the user's has no response yet, or none at all. */
  | { type: 'report_missing_response'; reason: MissingResponse }
  | { type: 'announce'; state: AgentState }
  | { type: 'start_timer'; timer: TurnTimer; delayMs: number }
  | { type: 'cancel_timer'; timer: TurnTimer }
  | ({ type: 'end_call' } & CallEnd);

export type Assumption =
  | { kind: 'words'; text: string }
  /** The sound of an open utterance. */
  | { kind: 'sound'; utterance: UtteranceId };

/** `unrecognised`: speech-to-text failed. `too_short`: less speech than counts as a turn, or as an interruption. */
export type Dismissal = Exclude<TranscriptKind, 'words'> | 'unrecognised' | 'too_short';

/** `nothing_to_say`: the response had no words. The others: what took more than RESPONSE_LIMIT_MS. */
export type MissingResponse = 'nothing_to_say' | 'recognition_late' | 'response_late' | 'tool_running';

export interface TurnStep {
  state: TurnState;
  effects: readonly TurnEffect[];
}
