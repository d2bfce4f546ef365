import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { operations } from '@calls/api-contract/operations';
import { ROOT, sourcePaths } from './source-paths.ts';

/** Operations that the console does not use, with the reason. */
const UNUSED: Readonly<Record<string, string>> = {
  ...reason('the key of the session has one account', ['listAccounts']),
  ...reason('the API reference of the documentation shows it', ['getSchema']),
  ...reason('providers send it; the page Phone shows its URL', ['startTelephonyCall']),
  ...reason('the page Phone reads and changes all providers with one request', [
    ...['1', '2', '3'].flatMap((provider) =>
      ['get', 'create', 'update', 'delete'].map((verb) => `${verb}Telephony${provider}Config`),
    ),
  ]),
  ...reason('the list of calls has summaries of the same calls', ['listCalls', 'listAgentCalls']),
  ...reason('the page of a call loads all its stages, messages and tools', [
    'getCallStage',
    'listCallStageMessages',
    'listCallStageTools',
  ]),
  ...reason('the recording plays from each message of the transcript', ['getCallStageMessageAudio']),
  ...reason('the list has the whole item', [
    'getApiKey',
    'getCallThrottle',
    'getCorpusDocument',
    'getCorpusSource',
    'getSipRegistration',
    'getSipTrunk',
  ]),
  ...reason('the console uses PATCH', [
    'replaceApiKey',
    'replaceCallThrottle',
    'replaceCorpus',
    'replaceCorpusSource',
    'replaceWebhook',
  ]),
  ...reason('the console uses PUT', ['updateVoice']),
};

function reason(why: string, ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id) => [id, why]));
}

it('the console uses every API operation that is not exempt for a listed reason', () => {
  const source = sourcePaths(['services/console/src'])
    .filter((path) => !path.includes('.test.'))
    .map((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .replaceAll(/\$\{[^}]*\}/gu, '{}')
        .replaceAll(/\(\s+/gu, '('),
    )
    .join('\n');
  const unused = operations.filter(({ method, path }) => {
    if (source.includes(`api.${method}('${path}'`)) return false;
    // URLs of links and audio, and requests that the typed client does not support.
    const ofOther = method === 'GET' ? '' : `, { method: '${method}'`;
    return !source.includes(`\`${path.replaceAll(/\{[^}]*\}/gu, '{}')}\`${ofOther}`);
  });
  expect(unused.map(({ id }) => id).toSorted()).toEqual(Object.keys(UNUSED).toSorted());
});
