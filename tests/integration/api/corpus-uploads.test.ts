import { afterAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import type { ApiError } from '@calls/api-contract/rest/common';
import { MAX_DOCUMENT_BYTES } from '@calls/api-contract/rest/corpus';
import { systemClock } from '@calls/foundation/clock';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { CorpusClient, put } from '../../support/corpora/corpus-client.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
const corpus = await CorpusClient.create(account);
afterAll(() => harness.stop());

async function codeOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as ApiError).code];
}

/** Files of the corpus in object storage, including incomplete ones. */
async function storedFiles(): Promise<string[]> {
  const names = await readdir(harness.objectDirectory, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe('corpus uploads', () => {
  it('return a document id and a URL that accepts one file without an API key', async () => {
    const { documentId, url } = await corpus.requestUpload('text/plain', 'notes.txt');
    expect(url.startsWith(`${harness.url}/uploads/`)).toBe(true);
    const response = await put(url, 'Some notes.', 'text/plain; charset=utf-8');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const { body: source } = await corpus.addSource({ upload: { documentIds: [documentId] } });
    expect(await corpus.documents(source)).toMatchObject([
      { documentId, mimeType: 'text/plain', sizeBytes: '11', metadata: { title: 'notes.txt' } },
    ]);
  });

  it('accept the supported document types', async () => {
    const refused = await account.post(`${corpus.path}/uploads`, { mimeType: 'image/png' });
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'mimeType']);
    expect(refused.body.detail).toContain('application/pdf');
    expect((await account.post(`${corpus.path}/uploads`, { fileName: 'x' })).status).toBe(400);
    for (const type of ['text/markdown', 'Text/HTML; charset=utf-8', 'application/pdf', 'text/csv']) {
      await corpus.requestUpload(type);
    }
  });

  it('expire after five minutes', async () => {
    const ahead = (ms: number): Promise<string> =>
      harness.addReplica({ clock: { ...systemClock, wallMs: () => Date.now() + ms } });
    const [early, late] = await Promise.all([ahead(4 * 60_000 + 50_000), ahead(5 * 60_000)]);
    const { url } = await corpus.requestUpload('text/plain');
    const { pathname } = new URL(url);
    expect(await codeOf(await put(`${late}${pathname}`, 'x', 'text/plain'))).toEqual([
      403,
      'upload_url_expired',
    ]);
    expect((await put(`${early}${pathname}`, 'x', 'text/plain')).status).toBe(200);
  });

  it('reject forged URLs and methods other than PUT', async () => {
    const { url } = await corpus.requestUpload('text/plain');
    const [payload, signature] = url.split('/').at(-1)!.split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as object;
    const longer = Buffer.from(JSON.stringify({ ...claims, maxBytes: 1e9 })).toString('base64url');
    const forged = [
      `${longer}.${signature}`,
      payload,
      `${payload}.`,
      'x',
      'x.y.z',
      `${payload}.${signature}.`,
    ];
    for (const token of forged) {
      const response = await put(`${harness.url}/uploads/${token}`, 'x', 'text/plain');
      expect([token, ...(await codeOf(response))]).toEqual([token, 403, 'invalid_upload_url']);
    }
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(url, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'PUT, OPTIONS']);
    }
  });

  it('reject a file of another content type', async () => {
    const { url } = await corpus.requestUpload('application/pdf');
    for (const type of ['text/plain', 'application/octet-stream', null]) {
      expect(await codeOf(await put(url, 'x', type))).toEqual([415, 'unsupported_media_type']);
    }
    expect((await put(url, 'x', 'application/pdf')).status).toBe(200);
  });

  it('accept one file, the first complete one', async () => {
    const { url } = await corpus.requestUpload('text/plain');
    expect(await codeOf(await put(url, '', 'text/plain'))).toEqual([400, 'empty_upload']);
    const before = await storedFiles();
    const both = await Promise.all([put(url, 'one', 'text/plain'), put(url, 'two', 'text/plain')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await codeOf(await put(url, 'three', 'text/plain'))).toEqual([409, 'already_uploaded']);
    expect((await storedFiles()).length).toBe(before.length + 1);
  });

  it('return 404 after the corpus was deleted', async () => {
    const short = await CorpusClient.create(account);
    const { url } = await short.requestUpload('text/plain');
    await account.send('DELETE', short.path);
    expect(await codeOf(await put(url, 'x', 'text/plain'))).toEqual([404, 'not_found']);
  });

  it('accept 10 MiB and reject larger files by announced length or while receiving', async () => {
    const before = await storedFiles();
    const full = new Uint8Array(MAX_DOCUMENT_BYTES).fill(97);
    const { url } = await corpus.requestUpload('text/plain');
    expect(await send(url, MAX_DOCUMENT_BYTES + 1, 0)).toEqual([413, 'too_large']);
    expect(await send(url, null, MAX_DOCUMENT_BYTES + 1)).toEqual([413, 'too_large']);
    expect(await storedFiles()).toEqual(before);
    expect((await put(url, full, 'text/plain')).status).toBe(200);
  });

  it('remove an interrupted file and accept it again', async () => {
    const before = await storedFiles();
    const { url } = await corpus.requestUpload('text/plain');
    await expect(send(url, 1000, 500)).rejects.toThrow();
    expect((await put(url, 'whole', 'text/plain')).status).toBe(200);
    expect((await storedFiles()).length).toBe(before.length + 1);
  });
});

/** Sends `sent` bytes of a file and waits for the response. Omits Content-Length when the length is null. Closes the connection when the file is incomplete.
 */
function send(url: string, announced: number | null, sent: number): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const length = announced === null ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': announced };
    const headers = { 'Content-Type': 'text/plain', ...length };
    const outgoing = request(url, { method: 'PUT', headers }, (answer) => {
      answer.setEncoding('utf8').on('data', (body: string) => {
        resolve([answer.statusCode!, (JSON.parse(body) as ApiError).code]);
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject);
    if (sent === 0) outgoing.flushHeaders();
    else {
      outgoing.write(Buffer.alloc(sent, 'x'), () => {
        if (announced !== null) setTimeout(() => outgoing.destroy(new Error('gone')), 50);
      });
    }
  });
}
