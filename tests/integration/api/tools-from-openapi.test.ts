import { afterAll, describe, expect, it } from '@jest/globals';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { Tool } from '@calls/api-contract/rest/tool-resource';
import { ControlPlaneHarness, type ApiResponse } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const document = (
  server = 'https://api.example.com',
  paths: unknown = { '/things/{id}': { get: operation } },
) => JSON.stringify({ openapi: '3.1.0', servers: [{ url: server }], paths });
const operation = {
  operationId: 'getThing',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
};

function form(parts: Record<string, string | Blob>): FormData {
  const body = new FormData();
  for (const [name, part] of Object.entries(parts)) body.append(name, part);
  return body;
}

function upload<T = ApiError>(parts: Record<string, string | Blob>): Promise<ApiResponse<T>> {
  return account.request<T>('/api/tools', { method: 'POST', body: form(parts) });
}

function raw(contentType: string, body: string): Promise<ApiResponse<ApiError>> {
  return account.request('/api/tools', { method: 'POST', body, headers: { 'Content-Type': contentType } });
}

describe('tools from OpenAPI documents', () => {
  it('behave like other tools', async () => {
    const created = await upload<Tool>({ file: new Blob([document()]) });
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'getThing',
        ownership: 'private',
        definition: {
          modelToolName: 'getThing',
          http: { baseUrlPattern: 'https://api.example.com/things/{id}', httpMethod: 'GET' },
          dynamicParameters: [{ name: 'id', location: 'PARAMETER_LOCATION_PATH', required: true }],
        },
      },
    });
    expect((await account.request<Tool>(`/api/tools/${created.body.toolId}`)).body).toEqual(created.body);
    expect(await upload({ file: new Blob([document()]) })).toMatchObject({ status: 409 });
  });

  it('can be imported from YAML', async () => {
    const yaml =
      'openapi: 3.0.0\nservers: [{url: "https://a.example"}]\npaths: {/a: {get: {operationId: fromYaml}}}';
    expect(await upload<Tool>({ file: new Blob([yaml], { type: 'application/yaml' }) })).toMatchObject({
      status: 201,
      body: { name: 'fromYaml' },
    });
  });

  it.each<[string, string, Record<string, string | Blob>]>([
    ['a file that is not an OpenAPI document', 'file', { file: new Blob(['hello']) }],
    ['two operations', 'file', { file: new Blob([document(undefined, { '/a': { get: {}, post: {} } })]) }],
    [
      'a URL that is not allowed',
      'definition.http.baseUrlPattern',
      { file: new Blob([document('http://10.0.0.1')]) },
    ],
    [
      'a path with an undeclared parameter',
      'definition.http.baseUrlPattern',
      { file: new Blob([document(undefined, { '/a/{b}': { get: {} } })]) },
    ],
    [
      'a name that a database cannot store',
      'name',
      { file: new Blob([document(undefined, { '/a': { get: { operationId: 'a\0b' } } })]) },
    ],
    ['no file', 'file', {}],
    ['text instead of a file', 'file', { file: document() }],
    ['a file in another field', 'other', { other: new Blob([document()]) }],
    ['a file with an additional text field', '', { name: 'x', file: new Blob([document()]) }],
    ['two files', '', { file: new Blob([document()]), more: new Blob(['x']) }],
  ])('are not created from %s', async (_what, path, parts) => {
    const refused = await upload(parts);
    expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(refused.body.errors![0]!.path).toBe(path);
  });

  it('are limited in size', async () => {
    const large = new Blob(['x'.repeat(1024 * 1024)]);
    expect(await upload({ file: large })).toMatchObject({ status: 413, body: { code: 'too_large' } });
  });

  it.each([
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=b', 'x'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx',
    ],
    ['multipart/form-data; boundary=b', ''],
    ['multipart/form-data; boundary=b', '--b--\r\n'],
    ['multipart/form-data; boundary=b', `--b\r\n${'X-A: b\r\n'.repeat(5000)}\r\nx\r\n--b--\r\n`],
  ])('are rejected when the multipart body is malformed: %s, %j', async (type, body) => {
    expect((await raw(type, body)).status).toBe(400);
  });
});
