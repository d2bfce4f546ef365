import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { S3Config } from '@calls/object-storage/config';
import { startStandInProcess } from '@calls/testkit/stand-in-process';

export const BUCKET = 'calls-test';
const PREFIX = 'of/tests';
/** The only credentials that the server accepts. */
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export interface S3Settings {
  readonly config: S3Config;
  /** The same configuration as environment variables, without download redirects. */
  readonly env: Readonly<Record<string, string>>;
}

export interface S3Server extends S3Settings, AsyncDisposable {
  /** Kills the process. Its objects remain. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Starts a server with an empty bucket in its own process. */
export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'calls-s3-'));
  const port = await findFreePorts(1);
  const run = () =>
    startStandInProcess<string>(join(import.meta.dirname, 'main.ts'), {
      ...{ PORT: String(port), DIRECTORY: directory, BUCKET },
    });
  let running = await run();
  return {
    ...s3Settings(`http://127.0.0.1:${port}`, CREDENTIALS),
    kill: () => running.kill(),
    async restart() {
      running = await run();
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

export function s3Settings(
  endpoint: string,
  credentials: { accessKeyId: string; secretAccessKey: string },
): S3Settings {
  return {
    config: {
      ...{ kind: 's3', bucket: BUCKET, prefix: PREFIX, region: null, credentials },
      ...{ endpoint, forcePathStyle: true, redirectsDownloads: true },
    },
    env: {
      OBJECT_STORAGE_URL: `s3://${BUCKET}/${PREFIX}?endpoint=${endpoint}&forcePathStyle=true`,
      OBJECT_STORAGE_ACCESS_KEY_ID: credentials.accessKeyId,
      OBJECT_STORAGE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  };
}
