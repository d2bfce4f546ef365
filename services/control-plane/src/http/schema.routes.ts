import { openApiDocument, type OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import { getSchema, SchemaQuery } from '@calls/api-contract/operations/schema.operations';
import { Router, type Request } from 'express';
import { stringify } from 'yaml';
import { onlyMethods } from './route-guards.ts';
import { queryReader } from './paging.ts';

const DEFAULT_TYPE = 'application/vnd.oai.openapi';
const YAML_TYPES = [DEFAULT_TYPE, 'application/yaml'];
const JSON_TYPES = ['application/vnd.oai.openapi+json', 'application/json'];
const CACHE_SECONDS = 300;

function describeApi(publicUrl: string): OpenApiDocument {
  return openApiDocument(operations, {
    title: 'Calls',
    version: '0.1.0',
    description:
      'Real-time voice conversations between people and AI agents. Send your API key with every request, in `X-API-Key`.',
    serverUrl: publicUrl,
  });
}

/** `/api/schema/`: the OpenAPI document, built at the first request; no authentication. */
export function schemaRoutes(publicUrl: string): Router {
  let json: string | undefined;
  let yaml: string | undefined;
  const texts = {
    json: () => (json ??= JSON.stringify(describeApi(publicUrl))),
    yaml: () => (yaml ??= stringify(describeApi(publicUrl), { aliasDuplicateObjects: false })),
  };
  const readQuery = queryReader(SchemaQuery);
  const router = Router();
  router
    .route(getSchema.path)
    .get((request, response) => {
      const { format } = readQuery(request);
      const { type, form } = answerForm(request, format);
      response
        .set({ 'Cache-Control': `public, max-age=${CACHE_SECONDS}`, Vary: 'Accept' })
        .type(type)
        .send(texts[form]());
    })
    .all(onlyMethods('GET'));
  return router;
}

function answerForm(
  request: Request,
  format: 'json' | 'yaml' | undefined,
): { type: string; form: 'json' | 'yaml' } {
  if (format === 'json') return { type: 'application/json', form: 'json' };
  if (format === 'yaml') return { type: 'application/yaml', form: 'yaml' };
  const accepted = request.accepts([...YAML_TYPES, ...JSON_TYPES]);
  const type = accepted === false ? DEFAULT_TYPE : accepted;
  return { type, form: JSON_TYPES.includes(type) ? 'json' : 'yaml' };
}
