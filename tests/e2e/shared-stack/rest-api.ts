import { WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createApiClient, type ApiClient } from '@calls/api-client';
import { levelDbfs, samplesFromBytes } from '@calls/audio/pcm';
import { CallClient } from '@calls/examples/call-client';
import type { Stack } from '@calls/local-stack/stack';
import { eventually } from '../../support/eventually.ts';

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };

/** Returns the data of a successful response and throws any other response. */
async function done<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (error !== undefined || data === undefined) {
    throw new Error(`answered ${response.status}: ${JSON.stringify(error)}`);
  }
  return data;
}

/** Uses the typed client like a customer does. `open` returns the stack with the key of a new account. */
export function describeRestApi(open: () => Promise<Stack>): void {
  let client: ApiClient;

  beforeAll(async () => {
    const { apiUrl, developmentKey } = await open();
    client = createApiClient({ baseUrl: apiUrl, apiKey: developmentKey });
  });

  describe('a call of an agent', () => {
    it('is created from its template, controlled over REST, hung up, read and deleted', async () => {
      const agent = await done(
        client.POST('/api/agents', {
          body: {
            name: 'Reception',
            callTemplate: {
              medium,
              systemPrompt: 'You speak with {{guest.name}}.',
              firstSpeakerSettings: { agent: { text: 'Good morning, this is the hotel.' } },
              recordingEnabled: true,
              selectedTools: [
                { temporaryTool: { modelToolName: 'open_page', description: 'Opens a page.', client: {} } },
              ],
            },
          },
        }),
      );
      const { agentId } = agent;
      const atAgent = { params: { path: { agent_id: agentId } } };
      const unnamed = await client.POST('/api/agents/{agent_id}/calls', { ...atAgent, body: {} });
      expect([unnamed.response.status, unnamed.error?.errors?.[0]?.path]).toEqual([
        400,
        'templateContext.guest',
      ]);

      const call = await done(
        client.POST('/api/agents/{agent_id}/calls', {
          ...atAgent,
          body: { templateContext: { guest: { name: 'Ada' } }, metadata: { campaign: 'spring' } },
        }),
      );
      expect(call).toMatchObject({
        systemPrompt: 'You speak with Ada.',
        agent: { agentId, name: 'Reception' },
      });
      const atCall = { params: { path: { call_id: call.callId } } };

      const caller = await CallClient.connect({
        joinUrl: call.joinUrl ?? '',
        inputSampleRateHz: 16_000,
        outputSampleRateHz: 16_000,
        keepAudio: true,
      });
      const said = (role: string, text: string) => (): boolean =>
        caller.transcript.some((line) => line.role === role && line.text.includes(text));
      await caller.until('the greeting', said('agent', 'this is the hotel'));
      const sent = await client.POST('/api/calls/{call_id}/send_data_message', {
        ...atCall,
        body: { type: 'user_text_message', text: 'When is breakfast?', urgency: 'immediate' },
      });
      expect(sent.response.status).toBe(204);
      await caller.until('the text in the transcript', said('user', 'When is breakfast?'));
      const answers = caller.transcript.filter((line) => line.role === 'agent').length;
      await caller.until(
        'an answer',
        () => caller.transcript.filter((line) => line.role === 'agent').length > answers || answers > 1,
      );
      await client.POST('/api/calls/{call_id}/send_data_message', { ...atCall, body: { type: 'hang_up' } });
      expect(await caller.closed).toEqual({ code: 1000, reason: 'agent_hangup' });

      const ended = await eventually(async () => {
        const now = await done(client.GET('/api/calls/{call_id}', atCall));
        if (now.billingStatus === 'BILLING_STATUS_PENDING') throw new Error('not billed yet');
        return now;
      });
      expect(ended).toMatchObject({ endReason: 'agent_hangup', billingStatus: 'BILLING_STATUS_BILLED' });

      const messages = await done(client.GET('/api/calls/{call_id}/messages', atCall));
      expect(messages.results[0]).toMatchObject({ role: 'MESSAGE_ROLE_AGENT' });
      const tools = await done(client.GET('/api/calls/{call_id}/tools', atCall));
      expect(tools.map(({ name }) => name)).toEqual(['open_page']);
      const stages = await done(client.GET('/api/calls/{call_id}/stages', atCall));
      const stageId = stages.results[0]!.callStageId;
      const audio = await client.GET(
        '/api/calls/{call_id}/stages/{call_stage_id}/messages/{call_stage_message_index}/audio',
        {
          params: { path: { ...atCall.params.path, call_stage_id: stageId, call_stage_message_index: 0 } },
          parseAs: 'arrayBuffer',
        },
      );
      const samples = samplesFromBytes(Buffer.from(audio.data!).subarray(WAV_HEADER_BYTES));
      expect(samples.length / 16_000).toBeGreaterThan(1);
      expect(levelDbfs(samples)).toBeGreaterThan(-40);

      const found = await done(
        client.GET('/api/calls', { params: { query: { agentIds: [agentId], search: 'spring' } } }),
      );
      expect(found.results.map(({ callId }) => callId)).toEqual([call.callId]);
      const usage = await done(client.GET('/api/accounts/me/usage/calls'));
      expect(usage.allTime).toMatchObject({ joinedCount: 1 });

      expect((await client.DELETE('/api/calls/{call_id}', atCall)).response.status).toBe(204);
      expect((await client.GET('/api/calls/{call_id}', atCall)).response.status).toBe(404);
      const tombstone = await done(client.GET('/api/deleted_calls/{call_id}', atCall));
      expect(tombstone).toMatchObject({
        callId: call.callId,
        endReason: 'agent_hangup',
        recordingEnabled: true,
      });
    });
  });

  describe('a corpus', () => {
    it('returns passages from uploaded documents', async () => {
      const corpus = await done(client.POST('/api/corpora', { body: { name: 'House rules' } }));
      const atCorpus = { params: { path: { corpus_id: corpus.corpusId } } };
      const upload = await done(
        client.POST('/api/corpora/{corpus_id}/uploads', { ...atCorpus, body: { mimeType: 'text/plain' } }),
      );
      const put = await fetch(upload.presignedUrl, {
        method: 'PUT',
        headers: { 'Content-Type': 'text/plain' },
        body: 'Breakfast is served from seven until ten. Dogs are welcome in the garden.',
      });
      expect(put.ok).toBe(true);
      await done(
        client.POST('/api/corpora/{corpus_id}/sources', {
          ...atCorpus,
          body: { upload: { documentIds: [upload.documentId] } },
        }),
      );
      const results = await eventually(async () => {
        const query = { ...atCorpus, body: { query: 'When is breakfast?' } };
        const found = await done(client.POST('/api/corpora/{corpus_id}/query', query));
        if (found.length === 0) throw new Error('not ingested yet');
        return found;
      });
      expect(results[0]?.content).toContain('seven until ten');
      expect(results[0]?.citation.documentId).toBe(upload.documentId);
    });
  });
}
