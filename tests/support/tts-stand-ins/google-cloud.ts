import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { buildWavHeader } from '@calls/audio/wav-header';
import { deliver, speech } from './spoken.ts';
import { isObject, type StandInDeps } from './stand-in.ts';

interface Voice {
  languageCode: string;
  name: string;
}
interface StreamingRequest {
  streamingConfig?: {
    voice: Voice;
    streamingAudioConfig: { audioEncoding: string; sampleRateHertz: number; speakingRate: number };
  };
  input?: { text: string };
}
interface WholeRequest {
  input: { text: string };
  voice: Voice;
  audioConfig: { audioEncoding: string; sampleRateHertz: number; speakingRate: number };
}
interface Answer {
  audioContent: Buffer;
}

const AUDIENCE = 'https://texttospeech.googleapis.com/';

/** Protocol definition from Google's client. */
const PROTOCOL = join(
  import.meta.dirname,
  '../../node_modules/@google-cloud/text-to-speech/build/protos/protos.json',
);

/** Google Cloud's gRPC service. Callers need tokens that the key of the account signed for this service. */
export async function listenGoogleCloud(
  deps: StandInDeps,
  publicKeyPem: string,
): Promise<{ port: number; server: Server }> {
  const protocol = JSON.parse(readFileSync(PROTOCOL, 'utf8')) as Parameters<typeof fromJSON>[0];
  const loaded = fromJSON(protocol, { enums: String, defaults: true });
  const server = new Server();
  let port = 0;
  const cutAll = (): void => server.drain(`127.0.0.1:${port}`, 0);
  server.addService(loaded['google.cloud.texttospeech.v1.TextToSpeech'] as ServiceDefinition, {
    StreamingSynthesize: (call: ServerDuplexStream<StreamingRequest, Answer>) =>
      streaming(call, deps, publicKeyPem, cutAll),
    SynthesizeSpeech: (call: ServerUnaryCall<WholeRequest, Answer>, callback: sendUnaryData<Answer>) =>
      whole(call, callback, deps, publicKeyPem, cutAll),
  });
  port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, server };
}

function codeOf(httpStatus: number): status {
  if (httpStatus === 429) return status.RESOURCE_EXHAUSTED;
  return httpStatus < 500 ? status.INVALID_ARGUMENT : status.INTERNAL;
}

function streaming(
  call: ServerDuplexStream<StreamingRequest, Answer>,
  deps: StandInDeps,
  publicKeyPem: string,
  cutAll: () => void,
): void {
  const left = new AbortController();
  call.on('cancelled', () => left.abort());
  const fail = (code: number, details: string): void => void call.emit('error', { code, details });
  const unauthenticated = tokenIssue(call.metadata, publicKeyPem);
  if (unauthenticated !== undefined) {
    fail(status.UNAUTHENTICATED, unauthenticated);
    return;
  }
  let config: StreamingRequest['streamingConfig'];
  let text = '';
  call.on('data', (request: StreamingRequest) => {
    if (request.streamingConfig) config = request.streamingConfig;
    else text += request.input?.text ?? '';
  });
  call.on('end', () => {
    const asked = { config, text };
    const seen = deps.log.add({ provider: 'provider4', path: 'StreamingSynthesize', headers: {}, asked });
    if (!config?.voice.name.includes('Chirp3-HD') || config.streamingAudioConfig.audioEncoding !== 'PCM') {
      fail(
        status.INVALID_ARGUMENT,
        'Currently, only Chirp 3: HD voices are supported for streaming synthesis.',
      );
      return;
    }
    const { sampleRateHertz, speakingRate } = config.streamingAudioConfig;
    const answer = async (): Promise<void> =>
      deliver(
        {
          seen,
          left: left.signal,
          piece: ({ pcm }) => void call.write({ audioContent: pcm }),
          end: () => void call.end(),
          fail: (httpStatus, message) => fail(codeOf(httpStatus), message),
          garbage() {
            call.write({ audioContent: Buffer.from('RIFFno WAVE at all'.repeat(20)) });
            call.end();
          },
          cut: cutAll,
        },
        deps.settings(),
        await speech(text, sampleRateHertz, speakingRate === 0 ? 1 : speakingRate),
      );
    void answer();
  });
}

function whole(
  call: ServerUnaryCall<WholeRequest, Answer>,
  callback: sendUnaryData<Answer>,
  deps: StandInDeps,
  publicKeyPem: string,
  cutAll: () => void,
): void {
  const unauthenticated = tokenIssue(call.metadata, publicKeyPem);
  if (unauthenticated !== undefined) {
    callback({ code: status.UNAUTHENTICATED, details: unauthenticated });
    return;
  }
  const left = new AbortController();
  call.on('cancelled', () => left.abort());
  const { input, audioConfig } = call.request;
  const seen = deps.log.add({
    provider: 'provider4',
    path: 'SynthesizeSpeech',
    headers: {},
    asked: call.request,
  });
  const { sampleRateHertz, speakingRate } = audioConfig;
  const bytes: Buffer[] = [Buffer.from(buildWavHeader({ sampleRateHz: sampleRateHertz }))];
  const answer = async (): Promise<void> =>
    deliver(
      {
        seen,
        left: left.signal,
        piece: ({ pcm }) => void bytes.push(pcm),
        end: () => callback(null, { audioContent: Buffer.concat(bytes) }),
        fail: (httpStatus, message) => callback({ code: codeOf(httpStatus), details: message }),
        garbage: () => callback(null, { audioContent: Buffer.from('RIFFno WAVE at all'.repeat(20)) }),
        cut: cutAll,
      },
      deps.settings(),
      await speech(input.text, sampleRateHertz, speakingRate === 0 ? 1 : speakingRate),
    );
  void answer();
}

/** Returns the reason why the token of the caller is invalid. */
function tokenIssue(metadata: Metadata, publicKeyPem: string): string | undefined {
  const [value] = metadata.get('authorization');
  const [head = '', claims = '', signature = ''] = String(value)
    .replace(/^Bearer /, '')
    .split('.');
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify('RSA-SHA256', signed, createPublicKey(publicKeyPem), Buffer.from(signature, 'base64url')))
    return 'Request had invalid authentication credentials.';
  const fields: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
  if (!isObject(fields)) return 'The token has no claims.';
  const { aud, exp, iss, sub } = fields;
  const nowS = Date.now() / 1000;
  const isRight = aud === AUDIENCE && iss === 'speaker@project.example' && sub === iss;
  return isRight && Number(exp) > nowS && Number(exp) <= nowS + 3601
    ? undefined
    : 'The token is for something else.';
}
