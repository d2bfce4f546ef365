import { readFile } from 'node:fs/promises';
import { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import { definitionIssues } from '@calls/call-lifecycle/creation/tools/definition-issues';
import { completeDefinition } from '@calls/call-lifecycle/creation/tools/complete-definition';
import { newId } from '@calls/foundation/ids';
import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator, ValidationError } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { Type } from 'typebox';
import { parse } from 'yaml';
import { parseTemplate, type StoredTool, type TestedAgent } from './agent-call.ts';

/** An agent with the tools that it names: the bodies of `POST /api/agents` and `POST /api/tools`. */
const AgentFile = Closed({
  name: Type.Optional(Type.String()),
  callTemplate: Type.Unknown(),
  tools: Type.Optional(
    Type.Array(
      Closed({ name: Type.String({ minLength: 1, maxLength: 64 }), definition: BaseToolDefinition }),
    ),
  ),
});
const validator = compileValidator('agent', AgentFile);

/** Reads an agent, or a call template alone, from YAML or JSON. Throws a ValidationError. */
export async function readAgent(path: string, checks: UntrustedChecks): Promise<TestedAgent> {
  const given: unknown = parse(await readFile(path, 'utf8'));
  const isAgent = typeof given === 'object' && given !== null && 'callTemplate' in given;
  const {
    name = path,
    callTemplate,
    tools = [],
  } = isAgent ? validator.parse(given) : { callTemplate: given };
  return {
    name,
    template: await parseTemplate(callTemplate, checks),
    tools: await Promise.all(
      tools.map((tool, index) => storedTool(tool, `tools.${index}.definition`, checks)),
    ),
  };
}

async function storedTool(
  { name, definition }: { name: string; definition: BaseToolDefinition },
  path: string,
  checks: UntrustedChecks,
): Promise<StoredTool> {
  const issues = await definitionIssues(definition, path, () => null, checks);
  if (issues.length > 0) throw new ValidationError('agent', issues);
  return { tool_id: newId(), name, definition: completeDefinition(definition) };
}
