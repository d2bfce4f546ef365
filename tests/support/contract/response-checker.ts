import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import type { AnyOperation } from '@calls/api-contract/operations/operation';

/** Checks what the service sends against its OpenAPI document. Fields that it does not describe are issues, too. */
export class ResponseChecker {
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(this.#ajv);
    this.#ajv.addSchema(closed(document) as OpenApiDocument, 'api');
  }

  /** The difference between a JSON response and its schema, as one line; null if it matches. */
  issue(operation: AnyOperation, status: number, body: unknown): string | null {
    const path = this.#document.paths[operation.path];
    const described = path?.[operation.method.toLowerCase()] as
      | { responses: Record<string, { $ref?: string; content?: Record<string, { schema?: unknown }> }> }
      | undefined;
    const response = described?.responses[status];
    if (!response) return `status ${status} is not described`;
    if (response.$ref !== undefined) return this.#judge('api#/components/schemas/Error', body);
    const content = response.content?.['application/json'];
    if (!content) return body === null ? null : 'has a body, and should not';
    if (!content.schema) return null;
    const pointer = [
      'paths',
      operation.path,
      operation.method.toLowerCase(),
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ].map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
    return this.#judge(`api#/${pointer.map(encodeURIComponent).join('/')}`, body);
  }

  /** The difference between a data message of the service and its schema. */
  messageIssue(message: unknown): string | null {
    return this.#judge('api#/x-data-messages/fromService', message);
  }

  /** The differences between the body of a webhook request and the schemas of all of them; null if one matches. */
  webhookIssue(body: unknown): string | null {
    const issues = Object.keys(this.#document.webhooks ?? {}).map((name) =>
      this.#judge(`api#/webhooks/${name}/post/requestBody/content/application~1json/schema`, body),
    );
    return issues.includes(null) ? null : issues.join('; or ');
  }

  #judge(reference: string, body: unknown): string | null {
    let validate = this.#compiled.get(reference);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: reference });
      this.#compiled.set(reference, validate);
    }
    return validate(body) ? null : this.#ajv.errorsText(validate.errors, { dataVar: 'answer' });
  }
}

/** The document with `additionalProperties: false` in each schema that has properties, except in examples. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    key === 'example' ? item : closed(item),
  ]);
  const isObjectSchema = 'type' in value && value.type === 'object' && 'properties' in value;
  return { ...(isObjectSchema && { additionalProperties: false }), ...Object.fromEntries(members) };
}
