import { join } from 'node:path';
import { ProviderError } from '@calls/engine-ports/provider-error';
import {
  Client,
  credentials,
  Metadata,
  type ClientDuplexStream,
  type ClientUnaryCall,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { refusalMessage } from '../../http/refusal.ts';
import { rpcRefusal } from '../../http/rpc-status.ts';

export interface SpeechResponse {
  audioContent?: Buffer;
}

export interface CallHandlers {
  onAudio: (bytes: Buffer) => void;
  /** Called once. Undefined: the response is complete. */
  onEnd: (error?: Error) => void;
}

/** A call in progress; can be paused and cancelled. */
export interface RunningCall {
  pause(): void;
  resume(): void;
  cancel(): void;
}

const PROTOCOL = join(import.meta.dirname, 'cloud-text-to-speech.proto');
const SERVICE = 'google.cloud.texttospeech.v1.TextToSpeech';
/** Two minutes of audio, with a margin. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;
const NO_CALL: RunningCall = { pause: () => undefined, resume: () => undefined, cancel: () => undefined };

/** The API over one HTTP/2 connection, opened by the first request and shared by all. */
export class TextToSpeechRpcClient {
  readonly #provider: string;
  readonly #client: Client;
  readonly #methods: ServiceDefinition;

  constructor(provider: string, baseUrl: string) {
    this.#provider = provider;
    const url = new URL(baseUrl);
    const isPlain = url.protocol === 'http:';
    this.#client = new Client(
      `${url.hostname}:${url.port === '' ? (isPlain ? 80 : 443) : url.port}`,
      isPlain ? credentials.createInsecure() : credentials.createSsl(),
      // Disables the library's retries, because another component owns retries.
      { 'grpc.enable_retries': 0, 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
    );
    this.#methods = loadSync(PROTOCOL)[SERVICE] as ServiceDefinition;
  }

  /** Sends all `requests` and half-closes the stream. */
  stream(requests: readonly object[], call: CallOptions, handlers: CallHandlers): RunningCall {
    const method = this.#method('StreamingSynthesize');
    const stream: ClientDuplexStream<object, SpeechResponse> = this.#client.makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize as (bytes: Buffer) => SpeechResponse,
      metadata(call.token),
      { deadline: call.deadline },
    );
    let isOver = false;
    let hasBegun = false;
    const end = (error?: Error): void => {
      if (isOver) return;
      isOver = true;
      handlers.onEnd(error);
    };
    stream.on('data', ({ audioContent }: SpeechResponse) => {
      hasBegun = true;
      handlers.onAudio(audioContent ?? Buffer.alloc(0));
    });
    stream.on('error', (error: ServiceError) => end(this.#providerError(error, call, hasBegun)));
    stream.on('end', () => end());
    for (const request of requests) stream.write(request);
    stream.end();
    return {
      pause: () => stream.pause(),
      resume: () => stream.resume(),
      cancel: () => {
        isOver = true;
        stream.cancel();
      },
    };
  }

  /** One request with a single response. */
  whole(request: object, call: CallOptions, handlers: CallHandlers): RunningCall {
    const method = this.#method('SynthesizeSpeech');
    const running: ClientUnaryCall = this.#client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize as (bytes: Buffer) => SpeechResponse,
      request,
      metadata(call.token),
      { deadline: call.deadline },
      (error, response) => {
        if (error) {
          handlers.onEnd(this.#providerError(error, call, false));
          return;
        }
        handlers.onAudio(response?.audioContent ?? Buffer.alloc(0));
        handlers.onEnd();
      },
    );
    return { ...NO_CALL, cancel: () => running.cancel() };
  }

  close(): void {
    this.#client.close();
  }

  #method(name: string) {
    const method = this.#methods[name];
    if (!method) throw new Error(`the API has no method ${name}`);
    return method;
  }

  #providerError(error: ServiceError, { confidential }: CallOptions, hasBegun: boolean): ProviderError {
    const said = refusalMessage(error.details, confidential);
    switch (error.code as number) {
      case UNAVAILABLE:
        // The library uses this status for lost connections, the provider for a service that is down.
        return new ProviderError(this.#provider, hasBegun ? 'cut' : 'unreachable', said, { cause: error });
      case DEADLINE_EXCEEDED:
        return new ProviderError(this.#provider, 'timeout', said, { cause: error });
      case CANCELLED:
        return new ProviderError(this.#provider, 'cut', said, { cause: error });
      default:
        return rpcRefusal(this.#provider, { code: error.code, message: error.details }, confidential);
    }
  }
}

export interface CallOptions {
  token: string;
  /** Wall time at which the library cancels the call: a last resort behind the reader's limits. */
  deadline: Date;
  confidential: readonly string[];
}

function metadata(token: string): Metadata {
  const fields = new Metadata();
  fields.set('authorization', `Bearer ${token}`);
  return fields;
}
