import { join } from 'node:path';
import { askStandIn, startStandInProcess } from '@calls/testkit/stand-in-process';
import type { Control } from './behaviour.ts';
import type { ListenReport } from './listen-log.ts';

/** A process that implements Deepgram's live protocol. */
export interface SttStandIn extends AsyncDisposable {
  /** Value for `STT_STREAM_BASE_URL`. */
  readonly baseUrl: string;
  /** Sets the behaviour of new connections, resets everything else to normal and clears recorded connections. */
  control(control?: Control): Promise<void>;
  report(): Promise<ListenReport>;
}

/** What is recognised: tones, speech, or the same words in any sound. */
export type SttStandInEngine = 'tones' | 'moonshine' | 'sound';

export async function startSttStandIn(options: {
  apiKey: string;
  engine?: SttStandInEngine;
}): Promise<SttStandIn> {
  const child = await startStandInProcess<{ port: number }>(join(import.meta.dirname, 'main.ts'), {
    API_KEY: options.apiKey,
    ENGINE: options.engine ?? 'tones',
  });
  const host = `127.0.0.1:${child.ready.port}`;
  return {
    baseUrl: `ws://${host}/v1`,
    async control(control = {}) {
      await askStandIn(`http://${host}/control`, control);
    },
    report: async () => (await askStandIn(`http://${host}/report`)) as ListenReport,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
