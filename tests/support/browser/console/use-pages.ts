import { readFile } from 'node:fs/promises';
import type { Call } from '@calls/api-contract/rest/call';
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { Visitor } from './visitor.ts';

/**
 * Hangs up by keyboard. A click waits until two frames show the button at the same place, and on a busy machine
 * headless Chromium sometimes drew no frame for minutes.
 */
export async function hangUp(place: Pick<Locator, 'getByRole'>): Promise<void> {
  await place.getByRole('button', { name: 'Hang up' }).press('Enter');
}

/** Creates an HTTP tool with a parameter and tests it. `url` must respond to GET. */
export async function createTool(visitor: Visitor, url: string): Promise<void> {
  const { page } = visitor;
  await page.goto('/tools/new');
  await page.getByLabel('Name', { exact: true }).fill('roomRate');
  await page.getByLabel('URL').fill(url);
  await page.getByRole('button', { name: 'Add parameter' }).click();
  const parameter = page.getByRole('group', { name: 'parameter 1' });
  await parameter.getByLabel('Name').fill('room');
  await parameter.getByLabel('Description').fill('Number of the room.');
  await page.getByRole('button', { name: 'Add token' }).click();
  await visitor.look('tool-new');
  await page.getByRole('button', { name: 'Create tool' }).click();
  await page.getByRole('heading', { level: 1, name: 'roomRate' }).waitFor();
  await page.getByRole('tab', { name: 'Test' }).click();
  await page.getByLabel('room').fill('12');
  await page.getByLabel('Token key').fill('secret');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Response' }).getByText('200', { exact: true }).waitFor();
  await visitor.look('tool-test');
  await page.getByRole('tab', { name: 'Used by' }).click();
  await page.getByText('No agent uses this tool').waitFor();
}

/** Talks to an agent with unsaved settings, overrides a tool of it, and tests the saved version. */
export async function useWorkspace(visitor: Visitor, agentId: string): Promise<void> {
  const { page } = visitor;
  await page.goto(`/agents/${agentId}`);
  await page.getByLabel('System prompt').fill('You are Ben, of {{hotel}} in {{city}}.');
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Tools' }).click();
  await page.getByRole('button', { name: 'Overrides' }).click();
  await page.getByLabel('Name for the model').fill('displayCard');
  await page.getByLabel('Fixed title').fill('{{city}}');
  const talk = page.getByRole('region', { name: 'Talk' });
  await talk.getByText('With unsaved changes').waitFor();
  await talk.getByRole('textbox', { name: 'hotel' }).fill('the Sea View');
  await talk.getByRole('textbox', { name: 'city' }).fill('Rome');
  const created = page.waitForResponse(
    (response) => response.url().endsWith('/calls') && response.request().method() === 'POST',
  );
  await talk.getByRole('button', { name: 'Text only' }).click();
  const call = (await (await created).json()) as Call;
  expect(call.systemPrompt).toBe('You are Ben, of the Sea View in Rome.');
  expect(call.agentRevisionId).toBeNull();
  await talk.getByRole('group', { name: 'Transcript' }).getByText('How can I help?').first().waitFor();
  await page.getByLabel('System prompt').fill('You are Bo.');
  await talk.getByText('Changed since the call began').waitFor();
  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Hang up and leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  await visitor.look('agent-workspace');
  await hangUp(talk);
  await talk.getByRole('button', { name: 'Call again' }).waitFor();
  await visitor.look('agent-workspace-ended');
  await page.getByRole('tab', { name: 'Tests' }).click();
  await page.getByText('The saved version is tested.').waitFor();
  await page.getByLabel('The agent says').first().fill('How can I help?');
  await page.getByRole('button', { name: 'Add scenario' }).click();
  await page.getByLabel('The agent never says').nth(1).fill('help');
  await page.getByRole('button', { name: 'Run tests' }).click();
  const results = page.getByRole('region', { name: 'Last run' });
  await results.getByText('1 of 2 passed').waitFor();
  await results.getByText('Failed', { exact: true }).waitFor();
  await visitor.look('agent-tests');
  await publishTested(visitor);
}

/** Requires tests for the agent, saves an unpublished version, tests it, compares the results and publishes it. */
async function publishTested(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await page.getByRole('button', { name: 'Remove the scenario scenario 2' }).click();
  await page.getByRole('switch', { name: 'Require passing tests before publishing' }).click();
  await page.getByRole('button', { name: 'Save unpublished' }).click();
  const bar = page.getByRole('alert').filter({ hasText: 'This version is not published' });
  await bar.getByText('Not tested').waitFor();
  await page.getByRole('button', { name: 'Run tests' }).click();
  await bar.getByText('1 of 1 tests passed').waitFor();
  await visitor.look('agent-unpublished');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: /1 of 1 tests passed/u }).click();
  await page.getByRole('tab', { name: 'Test results' }).click();
  await page.getByRole('row', { name: 'scenario 2 Failed Not run' }).waitFor();
  await visitor.look('agent-version-tests');
  await bar.getByRole('button', { name: 'Publish…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /Current.*1 of 1 tests passed/u }).waitFor();
}

/** Creates a test from an ended call and runs it. */
export async function makeTest(visitor: Visitor, callId: string): Promise<void> {
  const { page } = visitor;
  await page.goto(`/calls/${callId}`);
  await page.getByRole('button', { name: 'Make a test' }).click();
  await visitor.look('call-test');
  await page.getByRole('dialog').getByRole('button', { name: 'Add to its tests' }).click();
  await page.getByRole('textbox', { name: 'Scenario', exact: true }).last().fill('breakfast');
  await page.getByRole('button', { name: 'Run tests' }).click();
  const lastRun = page.getByRole('region', { name: 'Last run' });
  await lastRun.getByText('breakfast', { exact: true }).waitFor();
  await visitor.look('agent-test-of-call');
  await page.reload();
  await lastRun.waitFor();
  expect(await page.getByRole('region', { name: `Scenario call ${callId}` }).count()).toBe(0);
}

/** Calls an agent from the form before the agent is created. */
export async function talkToNewAgent(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await page.goto('/agents/new');
  await page.getByLabel('System prompt').fill('You are Bo, of the spa.');
  const talk = page.getByRole('region', { name: 'Talk' });
  const created = page.waitForResponse(
    (response) => response.url().endsWith('/api/calls') && response.request().method() === 'POST',
  );
  await talk.getByRole('button', { name: 'Text only' }).click();
  expect(((await (await created).json()) as Call).systemPrompt).toBe('You are Bo, of the spa.');
  await hangUp(talk);
  await talk.getByRole('button', { name: 'Call again' }).waitFor();
  await visitor.look('agent-new-talked');
}

/** Invites a person, withdraws the invitation, and changes the role of a key. */
export async function manageTeam(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const form = page.getByRole('dialog');
  await page.goto('/keys');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await form.getByLabel('Name').fill('Bo of the spa');
  await visitor.look('team-invite');
  await form.getByRole('button', { name: 'Create invitation' }).click();
  await form.getByLabel('The link').getByText('/invitation#').waitFor();
  await visitor.look('team-invited');
  await page.keyboard.press('Escape');
  const invitations = page.getByRole('region', { name: 'Invitations' });
  await invitations.getByText('Bo of the spa').waitFor();
  await page.getByRole('button', { name: 'Change Booking site' }).click();
  await form.getByLabel('Role').click();
  await page.getByRole('option', { name: /^Viewer/u }).click();
  await visitor.look('team-change');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Booking site.*Viewer/u }).waitFor();
  await visitor.look('team');
  await invitations.getByRole('button', { name: 'Delete the invitation of Bo of the spa' }).click();
  await form.getByRole('button', { name: 'Delete invitation' }).click();
  await invitations.waitFor({ state: 'detached' });
}

/** Creates a corpus, uploads a file to it, and finds a passage of the file. */
export async function createCorpus(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const form = page.getByRole('dialog');
  await page.goto('/knowledge');
  await page.getByRole('button', { name: 'New corpus' }).first().click();
  await form.getByLabel('Name').fill('Handbook');
  await form.getByRole('button', { name: 'Create corpus' }).click();
  await page.getByRole('heading', { level: 1, name: 'Handbook' }).waitFor();
  await page.getByRole('button', { name: 'Upload files' }).click();
  const buffer = Buffer.from('# The bar\n\nThe bar closes at one in the night.');
  await page.setInputFiles('input[type=file]', { name: 'bar.md', mimeType: '', buffer });
  await form.getByRole('button', { name: 'Upload', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /bar\.md/u })
    .getByText('Ready')
    .waitFor();
  await page.getByLabel('Question').fill('When does the bar close?');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Passages' }).getByText('closes at one').waitFor();
  await visitor.look('corpus');
}

/** Schedules the calls of a CSV file, runs the batch and exports the results. */
export async function importBatch(visitor: Visitor, agentId: string): Promise<void> {
  const { page } = visitor;
  await page.goto(`/batches/new?agentId=${agentId}`);
  const buffer = Buffer.from('hotel;room\n"the Sea View; east";12\nthe Alps;14\n');
  await page.setInputFiles('input[type=file]', { name: 'guests.csv', mimeType: 'text/csv', buffer });
  await page.getByText('2 rows').waitFor();
  await page.getByRole('combobox', { name: 'Use of room' }).click();
  await page.getByRole('option', { name: 'Metadata' }).click();
  await page.getByLabel('Start paused').press(' ');
  await visitor.look('batch-new');
  const path = `/api/agents/${agentId}/scheduled_batches`;
  await page.route(`**${path}`, async (route) => {
    await route.fetch();
    await route.abort();
  });
  const schedule = page.getByRole('button', { name: 'Schedule 2 calls' });
  await schedule.click();
  await page.getByText('The service cannot be reached.').waitFor();
  await page.unroute(`**${path}`);
  expect(visitor.takeIssues()).toHaveLength(2);
  await schedule.click();
  await page.getByText('0 of 2').waitFor();
  const batchId = page.url().split('/').at(-1);
  const batches = (await (await page.request.get(path, { headers: { 'X-Console': '1' } })).json()) as {
    results: { batchId: string }[];
  };
  expect(batches.results.map((batch) => batch.batchId)).toEqual([batchId]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('2 of 2').waitFor();
  await page.getByRole('row', { name: /the Alps, 14 Created/u }).waitFor();
  await visitor.look('batch');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export results' }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  expect(text.split('\r\n')[1]).toMatch(/^SUCCESS,,,the Sea View; east,12,/u);
}

/** Creates a throttle with two rules, changes one, and deletes it. */
export async function changeThrottle(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const form = page.getByRole('dialog');
  await page.goto('/throttles');
  await page.getByRole('button', { name: 'New throttle' }).first().click();
  // The service rejects an empty form; the first wrong field gets the focus.
  await form.getByRole('button', { name: 'Create throttle' }).click();
  await form.locator('input:focus[aria-invalid=true]').waitFor();
  expect(visitor.takeIssues().filter((issue) => !issue.includes('400'))).toEqual([]);
  await form.getByLabel('Name').fill('evening');
  await form.getByRole('button', { name: 'Add rule' }).click();
  await visitor.look('throttle-new');
  await form.getByRole('button', { name: 'Create throttle' }).click();
  await page.getByText('10 calls in 1 minute; 100 calls in 1 hour').waitFor();
  await page.getByRole('button', { name: 'Edit evening' }).click();
  await form.getByLabel('Calls').first().fill('20');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('20 calls in 1 minute; 100 calls in 1 hour').waitFor();
  await visitor.look('throttle');
  await page.getByRole('button', { name: 'Delete evening' }).click();
  await form.getByRole('button', { name: 'Delete throttle' }).click();
  await page.getByText('No throttles yet').waitFor();
}

/** Stores the key of a voice provider and deletes it. */
export async function storeProviderKey(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const form = page.getByRole('dialog');
  await page.goto('/keys');
  await page.getByRole('button', { name: 'Add key for LMNT' }).click();
  await page.getByLabel('API key for LMNT').fill('0123456789abcdef');
  await visitor.look('keys-provider');
  await page.getByRole('button', { name: 'Store key' }).click();
  await page.getByRole('button', { name: 'Delete key for LMNT' }).click();
  await form.getByRole('button', { name: 'Delete key' }).click();
  await page.getByRole('button', { name: 'Add key for LMNT' }).waitFor();
}

/** Adds the key of a voice provider in a form. */
async function storeKey(form: Locator, provider: string): Promise<void> {
  await form.getByRole('button', { name: `Add key for ${provider}` }).click();
  const input = form.getByLabel(`API key for ${provider}`);
  await input.fill('0123456789abcdef');
  await input.press('Enter');
  await input.waitFor({ state: 'detached' });
}

export async function addVoice(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await page.goto('/voices');
  await page.getByRole('button', { name: 'Add voice' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'More settings' }).click();
  await visitor.look('voice-new');
  // A provider that cannot clone voices.
  await form.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Inworld' }).click();
  await storeKey(form, 'Inworld');
  await visitor.look('voice-key');
  await form.getByText('Clone a recording').click();
  await storeKey(form, 'Cartesia');
  await form.locator('input[type="file"]').setInputFiles({
    name: 'me.wav',
    mimeType: 'audio/wav',
    buffer: Buffer.from('RIFF'),
  });
  await form.getByText('me.wav').waitFor();
  await visitor.look('voice-clone');
}
