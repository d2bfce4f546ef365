import { afterAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock } from '@calls/foundation/clock';
import { closeServer, listen } from '@calls/foundation/listen';
import type { S3Config } from '@calls/object-storage/config';
import { openStorage } from '@calls/object-storage/open-storage';
import { S3Storage, type S3StorageOptions } from '@calls/object-storage/s3/s3-storage';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { contentOf, describeS3Storage, pattern, resumed } from '../support/s3-server/s3-conformance.ts';
import { startS3Server } from '../support/s3-server/s3-server.ts';

const server = await startS3Server();
afterAll(async () => server[Symbol.asyncDispose]());

describeS3Storage('S3Storage', () => server.config);

const MEBIBYTE = 1024 * 1024;

describe('S3Storage', () => {
  const storages: S3Storage[] = [];
  afterAll(() => {
    for (const storage of storages) storage[Symbol.dispose]();
  });

  function open(config: Partial<S3Config> = {}, options: Partial<S3StorageOptions> = {}): S3Storage {
    const storage = new S3Storage(
      { ...server.config, ...config },
      { clock: systemClock, storeDelayMs: 0, ...options },
    );
    storages.push(storage);
    return storage;
  }

  it('stores written data every few seconds', async () => {
    const clock = new VirtualClock();
    const storage = open({}, { clock, storeDelayMs: 5000 });
    const writer = await storage.create('batched');
    await writer.write(pattern(10));
    await clock.advance(5000);
    await writer.write(pattern(5));
    await writer.write(pattern(3));
    const successor = await resumed(storage, 'batched');
    expect(successor?.bytes).toBe(15);
    await successor?.abort();
  });

  it('can resume an object after the server was killed during the upload', async () => {
    const storage = open();
    const writer = await storage.create('interrupted');
    await writer.write(pattern(100));
    await server.kill();
    const failure = { code: 'storage_failed', retryable: true };
    await expect(writer.write(pattern(50, 2))).rejects.toMatchObject(failure);
    expect(writer.bytes).toBe(100);
    await expect(writer.commit()).rejects.toMatchObject(failure);
    await expect(openStorage(server.config, systemClock)).rejects.toThrow('OBJECT_STORAGE_URL');
    await server.restart();
    expect(await storage.stat('interrupted')).toBeNull();
    const successor = await resumed(storage, 'interrupted');
    expect(await successor?.commit()).toEqual({ bytes: 100 });
    expect((await contentOf(storage, 'interrupted')).equals(pattern(100))).toBe(true);
  });

  it('names the setting to check when the credentials or the bucket are invalid', async () => {
    const failureOf = async (config: Partial<S3Config>): Promise<string> => {
      const opening = openStorage({ ...server.config, ...config }, systemClock);
      return opening.then(String, (thrown: unknown) => String(thrown));
    };
    const secretAccessKey = 'S3RVER';
    expect(await failureOf({ credentials: { accessKeyId: 'UNKNOWN', secretAccessKey } })).toContain(
      'OBJECT_STORAGE_URL: the bucket calls-test cannot be used: InvalidAccessKeyId (403); check OBJECT_STORAGE_ACCESS_KEY_ID',
    );
    const secret = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' };
    expect(await failureOf({ credentials: secret })).toContain(
      'SignatureDoesNotMatch (403); check OBJECT_STORAGE_SECRET_ACCESS_KEY',
    );
    expect(await failureOf({ bucket: 'no-such-bucket' })).toContain(
      'no-such-bucket cannot be used: NoSuchBucket (404); check the bucket in OBJECT_STORAGE_URL',
    );
    await expect(open({ credentials: secret }).put('a', [pattern(1)])).rejects.toThrow(
      'OBJECT_STORAGE_SECRET_ACCESS_KEY',
    );
  });

  it('asks for new credentials and a restart when temporary credentials have expired', async () => {
    await using expired = await startHttpServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(400, { 'content-type': 'application/xml' });
        response.end(request.method === 'HEAD' ? '' : '<Error><Code>ExpiredToken</Code></Error>');
      });
    });
    const renewal = /renew AWS_ACCESS_KEY_ID, .* and restart the process/u;
    const storage = open({ endpoint: expired.url });
    await expect(storage.check()).rejects.toThrow('cannot be used: ExpiredToken (400); the temporary');
    await expect(storage.check()).rejects.toThrow(renewal);
    await expect(storage.stat('a')).rejects.toThrow(renewal);
  });

  it('aborts an upload when its parts cannot be stored', async () => {
    const requests: string[] = [];
    await using server = await startHttpServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      const part = searchParams.get('partNumber');
      requests.push(`${request.method} ${searchParams.get('uploadId') ?? ''} ${part ?? ''}`.trim());
      const id = '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>';
      request.resume().on('end', () => {
        if (part !== null) response.writeHead(403).end();
        else if (request.method === 'POST') response.end(id);
        else response.writeHead(204).end();
      });
    });
    const stored = open({ endpoint: server.url }).put('a', [pattern(6 * MEBIBYTE)]);
    await expect(stored).rejects.toThrow('a part could not be stored');
    expect(requests).toEqual(['POST', 'PUT one 1', 'DELETE one']);
  });

  it('fails when the server does not respond', async () => {
    await using silent = await startHttpServer(() => undefined);
    const storage = open({ endpoint: silent.url }, { limits: { responseMs: 50, stallMs: 50 } });
    await expect(storage.stat('a')).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(storage.put('a', [pattern(1)])).rejects.toMatchObject({ code: 'storage_failed' });
  });

  it.each([
    ['is cut off', (response: ServerResponse) => response.write(pattern(10), () => response.destroy())],
    ['stops', (response: ServerResponse) => response.write(pattern(10))],
  ])('fails to read an object whose content %s', async (_, send) => {
    await using server = await startHttpServer((request, response) => {
      response.writeHead(200, { 'Content-Length': 1000, ETag: '"one"' });
      if (request.method === 'HEAD') response.end();
      else send(response);
    });
    const storage = open({ endpoint: server.url }, { limits: { responseMs: 60_000, stallMs: 50 } });
    await expect(contentOf(storage, 'a')).rejects.toMatchObject({ code: 'storage_failed' });
  });
});

async function startHttpServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(answer);
  const port = await listen(server, { port: 0, variable: 'PORT' });
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
