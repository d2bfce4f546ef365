import type { VoiceSelection } from '@calls/api-contract/call-spec';
import type { Clock } from '@calls/foundation/clock';
import type { Pacer } from '../playout/pacer.ts';
import type { BackgroundClips } from '../ports/background-clips.ts';
import type { CallTraces } from '../ports/call-traces.ts';
import type { DataConnections } from '../ports/data-connection.ts';
import type { EndOfTurnDetector } from '../ports/end-of-turn.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { RecordingStore } from '../ports/recordings.ts';
import type { SpeechToText } from '../ports/speech-to-text.ts';
import type { TextToSpeech } from '../ports/text-to-speech.ts';
import type { ToolServices } from '../ports/tools.ts';
import type { VoiceActivityEngine } from '../ports/voice-activity-detector.ts';
import type { MissingResponse } from '../turn/turn-types.ts';
import type { TurnLatency } from './turn-latency.ts';

/** What all calls of a process share. */
export interface ConversationServices {
  voiceActivity: VoiceActivityEngine;
  speechToText: SpeechToText;
  endOfTurn: EndOfTurnDetector;
  languageModel: LanguageModel;
  textToSpeech: TextToSpeech;
  /** Speaks where a call's own voice fails. */
  fallbackVoice: VoiceSelection | null;
  backgroundClips: BackgroundClips;
  recordings: RecordingStore;
  /** Null: no traces are kept. */
  traces: CallTraces | null;
  tools: ToolServices;
  dataConnections: DataConnections;
  pacer: Pacer;
  clock: Clock;
  metrics: SessionMetrics;
  limits: SessionLimits;
}

export interface SessionLimits {
  /** Longest wait for the words of an utterance. */
  transcriptionMs: number;
  /** Answers are begun while the user's turn may still go on. */
  speculation: boolean;
}

export interface SessionMetrics {
  frameSent(latenessMs: number): void;
  playoutStarved(): void;
  turnResponded(latency: TurnLatency): void;
  /** `resumed`: the agent was paused, and went on. */
  interruption(outcome: 'taken' | 'resumed'): void;
  /** An answer begun before the turn was over; `ms`: by how long before, or how long it worked in vain. */
  speculation(outcome: 'used' | 'discarded', ms: number): void;
  error(): void;
  /** A turn of the user's had no response in time, or none. */
  responseMissing(reason: MissingResponse): void;
  /** Recognised words became no message, and no event says why: a fault of ours. */
  transcriptLost(): void;
}
