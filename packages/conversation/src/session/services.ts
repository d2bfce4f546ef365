import type { VoiceSelection } from '@calls/api-contract/call-spec';
import type { LanguageModel } from '@calls/engine-ports/language-model';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import type { Clock } from '@calls/foundation/clock';
import type { Pacer } from '../playout/pacer.ts';
import type { BackgroundClips } from '../ports/background-clips.ts';
import type { CallTraces } from '../ports/call-traces.ts';
import type { DataConnections } from '../ports/data-connection.ts';
import type { EndOfTurnDetector } from '../ports/end-of-turn.ts';
import type { RecordingStore } from '../ports/recordings.ts';
import type { ToolServices } from '../ports/tools.ts';
import type { TransferLegs } from '../ports/transfer-legs.ts';
import type { TurnDeviation } from '../recording/latency-audit.ts';
import type { TransferOutcome } from '../transfer/warm-transfer-machine.ts';
import type { MissingResponse } from '../turn/turn-types.ts';
import type { ResponseStart } from './response-start.ts';
import type { TurnLatency } from './turn-latency.ts';

/** Services shared by all calls of a process. */
export interface ConversationServices {
  voiceActivity: VoiceActivityEngine;
  speechToText: SpeechToText;
  endOfTurn: EndOfTurnDetector;
  languageModel: LanguageModel;
  textToSpeech: TextToSpeech;
  /** Used if the call's own voice fails. */
  fallbackVoice: VoiceSelection | null;
  backgroundClips: BackgroundClips;
  recordings: RecordingStore;
  /** Null if tracing is off. */
  traces: CallTraces | null;
  tools: ToolServices;
  dataConnections: DataConnections;
  transferLegs: TransferLegs;
  pacer: Pacer;
  clock: Clock;
  metrics: SessionMetrics;
  limits: SessionLimits;
  /** How long a disconnected client may take to return. */
  reconnectGraceMs: number;
}

export interface SessionLimits {
  /** Timeout for the transcript of an utterance. */
  transcriptionMs: number;
  /** Starts generating responses before the user's turn has ended. May change during a call. */
  readonly speculation: boolean;
}

export interface SessionMetrics {
  frameSent(latenessMs: number): void;
  playoutStarved(): void;
  /** A response to speech began to be played. */
  turnResponded(latency: TurnLatency): void;
  /** The first sound of a response to speech is played `afterMs` after the end of speech. */
  turnAudible(afterMs: number): void;
  /** A turn was compared with the recording. */
  turnAudited(deviation: TurnDeviation): void;
  /** A greeting, or the response to a text message, began. */
  responseStarted(start: ResponseStart): void;
  /** `resumed`: a false interruption; the agent was paused and continued. */
  interruption(outcome: 'interrupted' | 'resumed'): void;
  /** A pause for which the end-of-turn model was asked; `late` and `failed`: words decided alone. */
  turnModel(outcome: 'used' | 'late' | 'failed'): void;
  /** A speculative generation. `ms`: how far ahead it started if used, how long it ran if discarded. */
  speculation(outcome: 'used' | 'discarded', ms: number): void;
  error(): void;
  /** A user turn without a timely response, or without any. */
  responseMissing(reason: MissingResponse): void;
  /** A warm transfer ended. */
  transferEnded(outcome: TransferOutcome): void;
  /** A transcript became neither a message nor a dismissal: an internal error. */
  transcriptLost(): void;
}
