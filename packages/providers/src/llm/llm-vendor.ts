import type { LanguageModel } from '@calls/engine-ports/language-model';
import type { Clock } from '@calls/foundation/clock';
import type { EndpointDescriptor } from '../config/endpoint.ts';
import type { ConnectionPool } from '../http/connection-pool.ts';
import type { HttpEndpoint } from '../http/endpoint.ts';
import type { LanguageModelLimits } from './openai-compatible/limits.ts';

/** An LLM vendor: metadata for the configuration, its reference, the list of models and the engines. */
export type LlmVendor = HostedLlmVendor | LocalLlmVendor;

/** A model on a server. Calls use it under the default model's name. */
export interface HostedLlmVendor {
  readonly name: string;
  readonly endpoint: EndpointDescriptor;
  create(options: HostedLlmOptions): LlmEngine;
}

export interface HostedLlmOptions {
  endpoint: HttpEndpoint;
  model: string;
  /** Whether the model accepts audio parts. */
  acceptsAudio: boolean;
  /** Fields to add to each request; null removes one. */
  extraBody: Readonly<Record<string, unknown>>;
  limits: LanguageModelLimits;
  pool: ConnectionPool;
  clock: Clock;
}

/** A model on this machine. */
export interface LocalLlmVendor {
  /** The model name that calls use. */
  readonly name: string;
  /** Name on screens and in logs. */
  readonly displayName: string;
  readonly endpoint: null;
  /** Whether it follows rules instead of understanding the conversation. */
  readonly isScript: boolean;
  create(options: { clock: Clock }): LlmEngine;
}

/** Disposed together with the other engines. */
export type LlmEngine = LanguageModel & Partial<AsyncDisposable>;
