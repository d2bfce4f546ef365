import {
  ADMIN_API,
  openApiDocument,
  type OpenApiDocument,
} from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import { adminOperations } from '@calls/api-contract/operations/admin.operations';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { API_INFO } from './api-info.ts';

/** Rules of Redocly's recommended set that are off, each with the reason. */
const redoclyRules = {
  // `/api/schema/` is the address that existing clients use.
  'no-path-trailing-slash': 'off',
  // `sip_logs` only redirects.
  'operation-2xx-response': 'off',
  // A nullable value of any type is written as a union with null.
  'no-illogical-composition-keywords': 'off',
  // Ignores references in `x-data-messages`. Spectral checks the same (`oas3-unused-component`).
  'no-unused-components': 'off',
} as const;

/** Rules of Spectral's recommended set that are off, each with the reason. */
const spectralRules = {
  // `/api/schema/` is the address that existing clients use.
  'path-keys-no-trailing-slash': 'off',
  // Only supports OpenAPI 3.0: since 3.1, API keys may have scopes. Redocly checks that schemes are defined.
  'oas3-operation-security-defined': 'off',
  // Redocly checks the same examples (`no-invalid-media-type-examples`) in a quarter of the time.
  'oas3-valid-media-example': 'off',
} as const;

/** Problems that Redocly and Spectral find in an OpenAPI document, one line each. */
async function lint(document: OpenApiDocument): Promise<string[]> {
  const text = JSON.stringify(document);
  const config = await createConfig({ extends: ['recommended'], rules: redoclyRules });
  const redocly = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  const spectral = new spectralCore.Spectral();
  // Its published type allows undefined rules; there are none.
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

const problems = [
  ...(await lint(openApiDocument(operations, API_INFO))),
  ...(await lint(openApiDocument(adminOperations, API_INFO, ADMIN_API))),
];
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n${problems.length} problems in the API description\n`);
  process.exitCode = 1;
}
