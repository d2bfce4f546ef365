import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { EndpointDescriptor } from '../config/endpoint.ts';
import type { ConnectionPool } from '../http/connection-pool.ts';
import type { HttpEndpoint } from '../http/endpoint.ts';
import type { SpeechToTextLimits } from './limits.ts';

/** An STT vendor: metadata for the configuration, its reference, the start output and the engines. */
export type SttVendor = HostedSttVendor | LocalSttVendor;

/** An engine on a server. */
export interface HostedSttVendor {
  readonly name: string;
  readonly endpoint: EndpointDescriptor;
  create(options: HostedSttOptions): SttEngine;
}

export interface HostedSttOptions {
  endpoint: HttpEndpoint;
  model: string;
  limits: SpeechToTextLimits;
  pool: ConnectionPool;
  clock: Clock;
  log: Logger;
}

/** An engine on this machine. */
export interface LocalSttVendor {
  readonly name: string;
  readonly endpoint: null;
  /** Whether SPEECH_MODEL_DIR contains a model for it; absent if it needs none. */
  readonly hasModel?: (modelDir: string) => boolean;
  create(options: LocalSttOptions): SttEngine;
}

export interface LocalSttOptions {
  /** SPEECH_MODEL_DIR. */
  modelDir: string | null;
  /** Time limit from `finalize` to the transcript. */
  timeoutMs: number;
  clock: Clock;
  log: Logger;
}

/** Disposed together with the other engines. */
export interface SttEngine extends SpeechToText, Partial<AsyncDisposable> {
  /** Recent delay of transcripts beyond their processing time; absent if the engine does not measure it. */
  readonly latenessMs?: number;
}
