import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { API_INFO } from './api-info.ts';
import { redoclyRules, spectralRules } from './lint-rules.ts';

/** What Redocly and Spectral find wrong with the OpenAPI document, one line for each problem. */
async function lint(): Promise<string[]> {
  const document = openApiDocument(operations, API_INFO);
  const text = JSON.stringify(document);
  const config = await createConfig({ extends: ['recommended'], rules: redoclyRules });
  const redocly = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  const spectral = new spectralCore.Spectral();
  // Its published type allows for rules that are not defined; there are none.
  const base = oas as RulesetDefinition;
  spectral.setRuleset({ extends: [[base, 'recommended']], rules: spectralRules });
  const found = await spectral.run(JSON.parse(text) as Record<string, unknown>);
  return [
    ...redocly.map(
      ({ ruleId, message, location: [where] }) => `redocly ${ruleId} ${where?.pointer ?? ''}: ${message}`,
    ),
    ...found.map(({ code, message, path }) => `spectral ${String(code)} ${path.join('.')}: ${message}`),
  ];
}

const problems = await lint();
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n${problems.length} problems in the API description\n`);
  process.exitCode = 1;
}
