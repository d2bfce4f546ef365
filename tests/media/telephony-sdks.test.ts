import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { validateV3Signature } from 'plivo/dist/utils/v3Security.js';
import Telnyx from 'telnyx';
import { TelnyxWebhook } from 'telnyx/lib/webhooks';
import twilio from 'twilio';
import { eventually } from '../support/eventually.ts';
import { startTelephoneExchange } from '../support/telephony/start-telephone-exchange.ts';

/** Runs the SDKs of the vendors against the process that stands in for the vendors. */

interface Webhook {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Requests to the customer's server, which always responds with XML that hangs up. */
const webhooks: Webhook[] = [];

const exchange = await startTelephoneExchange();
const server = createServer((request, response) => {
  void text(request).then((body) => {
    webhooks.push({ url: `${origin}${request.url}`, headers: request.headers, body });
    const xml = new twilio.twiml.VoiceResponse();
    xml.hangup();
    response.writeHead(200, { 'content-type': 'text/xml' }).end(xml.toString());
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  server.close();
  await exchange[Symbol.asyncDispose]();
});

/** The vendor's first request for instructions, after the phone was called and hung up. */
async function instructed(number: string, path: string): Promise<Webhook & { form: Record<string, string> }> {
  const phone = await exchange.phoneOf(number);
  const { verbs, errors } = await phone.until('the end', ({ isOver }) => isOver);
  expect(verbs).toEqual(['hangup']);
  expect(errors).toEqual([]);
  const webhook = await eventually(() => {
    const found = webhooks.find(({ url }) => new URL(url).pathname === path);
    if (!found) throw new Error(`no request to ${path}`);
    return found;
  });
  return { ...webhook, form: Object.fromEntries(new URLSearchParams(webhook.body)) };
}

/** Makes the phone ring until the service hangs up. */
async function ringing(number: string): Promise<string> {
  await exchange.setNumber(number, 'rings_on');
  return number;
}

/** Expects that the phone stops ringing. */
async function cancelled(number: string): Promise<void> {
  const phone = await exchange.phoneOf(number);
  expect(await phone.until('the end', ({ isOver }) => isOver)).toMatchObject({
    status: 'canceled',
    verbs: [],
  });
}

describe('the SDK of telephony1', () => {
  /** The client has one address; requests to it go to the stand-in. */
  const client = (accountSid: string, authToken: string) => {
    const requests = new twilio.RequestClient();
    const send = requests.request.bind(requests);
    requests.request = (options) =>
      send({ ...options, uri: options.uri.replace('https://api.twilio.com', exchange.baseUrl) });
    return twilio(accountSid, authToken, { httpClient: requests });
  };

  it('calls a phone, and its validator accepts the webhook', async () => {
    const { accountSid, authToken } = exchange.accounts.telephony1;
    const created = await client(accountSid, authToken).calls.create({
      to: '+4930100',
      from: '+4930200',
      url: `${origin}/twilio`,
    });
    expect(created).toMatchObject({ status: 'queued', accountSid, sid: expect.stringMatching(/^CA/u) });
    const { url, headers, form } = await instructed('+4930100', '/twilio');
    expect(form).toMatchObject({ CallSid: created.sid, To: '+4930100', From: '+4930200' });
    expect(twilio.validateRequest(authToken, String(headers['x-twilio-signature']), url, form)).toBe(true);
  });

  it('hangs up a phone that rings', async () => {
    const { accountSid, authToken } = exchange.accounts.telephony1;
    const { calls } = client(accountSid, authToken);
    const to = await ringing('+4930102');
    const { sid } = await calls.create({ to, from: '+4930200', url: `${origin}/twilio` });
    expect(await calls(sid).update({ status: 'completed' })).toMatchObject({ sid, status: 'completed' });
    await cancelled(to);
  });

  it('throws the error of its API', async () => {
    const { accountSid, authToken } = exchange.accounts.telephony1;
    const call = { to: '+4930101', from: '+4930200', url: `${origin}/twilio` };
    await expect(client(accountSid, `${authToken}x`).calls.create(call)).rejects.toMatchObject({
      status: 401,
      code: 20_003,
    });
    await expect(client(accountSid, authToken).calls.create({ ...call, to: '' })).rejects.toMatchObject({
      status: 400,
      code: 21_201,
    });
  });
});

describe('the SDK of telephony2', () => {
  const client = (apiKey: string) => new Telnyx({ apiKey, baseURL: `${exchange.baseUrl}/v2`, maxRetries: 0 });
  const body = (number: string, ApplicationSid: string) => ({
    ApplicationSid,
    To: number,
    From: '+4930200',
    Url: `${origin}/telnyx`,
  });

  it('calls a phone, and its validator accepts the webhook', async () => {
    const { accountSid, apiKey, applicationSid, publicKey } = exchange.accounts.telephony2;
    const created = await client(apiKey).texml.accounts.calls.calls(accountSid, {
      body: body('+4930110', applicationSid),
    });
    expect(created).toMatchObject({ to: '+4930110', from: '+4930200', status: 'queued' });
    const { headers, form, body: sent } = await instructed('+4930110', '/telnyx');
    expect(form).toMatchObject({ To: '+4930110', From: '+4930200', AccountSid: accountSid });
    const signed = {
      'telnyx-signature-ed25519': String(headers['telnyx-signature-ed25519']),
      'telnyx-timestamp': String(headers['telnyx-timestamp']),
    };
    await expect(new TelnyxWebhook(publicKey).verify(sent, signed)).resolves.not.toThrow();
  });

  it('hangs up a phone that rings', async () => {
    const { accountSid, apiKey, applicationSid } = exchange.accounts.telephony2;
    const { calls } = client(apiKey).texml.accounts;
    const to = await ringing('+4930112');
    const created = await calls.calls(accountSid, { body: body(to, applicationSid) });
    // The library's type lacks the field.
    const sid = 'sid' in created ? String(created.sid) : '';
    const ended = await calls.update(sid, { account_sid: accountSid, Status: 'completed' });
    expect(ended).toMatchObject({ sid, status: 'completed' });
    await cancelled(to);
  });

  it('throws the error of its API', async () => {
    const { accountSid, apiKey, applicationSid } = exchange.accounts.telephony2;
    const create = (key: string, application: string) =>
      client(key).texml.accounts.calls.calls(accountSid, { body: body('+4930111', application) });
    await expect(create(`${apiKey}x`, applicationSid)).rejects.toMatchObject({ status: 401 });
    await expect(create(apiKey, 'another')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the SDK of telephony3', () => {
  const require = createRequire(import.meta.url);
  const plivoFile = require.resolve('plivo');
  const { Client } = require('plivo') as {
    Client: new (
      authId: string,
      authToken: string,
    ) => {
      calls: {
        create(
          from: string,
          to: string,
          answerUrl: string,
          options: { answerMethod: string },
        ): Promise<{ requestUuid: string; message: string }>;
        cancel(requestUuid: string): Promise<unknown>;
      };
    };
  };
  interface AxiosConfig {
    url?: string;
  }
  const axios = createRequire(plivoFile)('axios') as {
    defaults: { adapter: unknown };
    getAdapter(name: string): (config: AxiosConfig) => Promise<unknown>;
  };

  /** The client has one address; requests to it go to the stand-in. */
  beforeAll(() => {
    const http = axios.getAdapter('http');
    axios.defaults.adapter = (config: AxiosConfig) =>
      http(Object.assign(config, { url: config.url?.replace('https://api.plivo.com', exchange.baseUrl) }));
  });

  it('calls a phone, and its validator accepts the webhook', async () => {
    const { authId, authToken } = exchange.accounts.telephony3;
    const options = { answerMethod: 'POST' };
    const { calls } = new Client(authId, authToken);
    const created = await calls.create('+4930200', '+4930120', `${origin}/plivo`, options);
    expect(created.message).toBe('call fired');
    const { url, headers, form } = await instructed('+4930120', '/plivo');
    expect(form).toMatchObject({ RequestUUID: created.requestUuid, To: '4930120', From: '4930200' });
    const [nonce, signature] = ['x-plivo-signature-v3-nonce', 'x-plivo-signature-v3'].map((name) =>
      String(headers[name]),
    );
    expect(validateV3Signature('POST', url, nonce!, authToken, signature!, form)).toBe(true);
  });

  it('hangs up a phone that rings', async () => {
    const { authId, authToken } = exchange.accounts.telephony3;
    const { calls } = new Client(authId, authToken);
    const to = await ringing('+4930122');
    const options = { answerMethod: 'POST' };
    const { requestUuid } = await calls.create('+4930200', to, `${origin}/plivo`, options);
    await calls.cancel(requestUuid);
    await cancelled(to);
  });

  it('throws the error of its API', async () => {
    const { authId, authToken } = exchange.accounts.telephony3;
    const { calls } = new Client(authId, `${authToken}x`);
    const refused = calls.create('+4930200', '+4930121', `${origin}/plivo`, { answerMethod: 'POST' });
    await expect(refused).rejects.toThrow('Could not verify your access level');
  });
});
