import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { bytesFromSamples, samplesFromBytes } from '@calls/audio/pcm';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';

export interface PlacedCall {
  readonly to: string;
  readonly from: string;
  readonly answerUrl: string;
}

const TONE = Int16Array.from({ length: 12_000 }, (_, i) => 8000 * Math.sin(i / 10));

/** The servers of all fictitious vendors, at one address. Requests require the key. */
export class SampleVendorServers implements AsyncDisposable {
  readonly #server = createServer((request, response) => void this.#respond(request, response));
  readonly #key: string;
  #port = 0;
  /** Utterances that Parrot received, at 16 kHz. */
  readonly utterances: Int16Array[] = [];
  /** Last message of each conversation that Oracle received. */
  readonly questions: unknown[] = [];
  /** Sentences that Whisper Town received. */
  readonly sentences: unknown[] = [];
  /** Calls that Tin Can was requested to place. */
  readonly calls: PlacedCall[] = [];

  private constructor(key: string) {
    this.#key = key;
  }

  static async start(key: string): Promise<SampleVendorServers> {
    const servers = new SampleVendorServers(key);
    servers.#port = await listenOnLoopback(servers.#server);
    return servers;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { pathname } = new URL(request.url ?? '', this.url);
    if (request.headers.authorization !== this.#key) {
      response.writeHead(401).end();
    } else if (pathname === '/repeat') {
      this.utterances.push(samplesFromBytes(body).slice());
      response.end('what is the weather in the north');
    } else if (pathname === '/ask') {
      const { messages } = JSON.parse(body.toString()) as { messages: unknown[] };
      this.questions.push(messages.at(-1));
      response.end('It snows in the north.');
    } else if (pathname === '/speak') {
      const { text } = JSON.parse(body.toString()) as { text: unknown };
      this.sentences.push(text);
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.end(Buffer.from(bytesFromSamples(TONE)));
    } else if (pathname === '/cans/can-1/calls') {
      this.calls.push(JSON.parse(body.toString()) as PlacedCall);
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"call-1"}');
    } else {
      response.writeHead(404).end();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeServer(this.#server);
  }
}
