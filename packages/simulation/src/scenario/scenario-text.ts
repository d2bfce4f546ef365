import { Document, isMap, isSeq } from 'yaml';
import { agentLinesOf, scenarioOf, type StoredCall } from './scenario-of-call.ts';

/** The YAML of the scenario of a call, with what the agent said in comments. */
export function scenarioTextOf(call: StoredCall): string {
  const document = new Document(scenarioOf(call));
  const script = document.getIn(['caller', 'script'], true);
  for (const [index, said] of agentLinesOf(call).entries()) {
    const item = isSeq(script) ? script.items[index] : null;
    if (isMap(item) && said.length > 0)
      item.commentBefore = said.map((text) => ` agent: ${oneLine(text)}`).join('\n');
  }
  return document.toString({ lineWidth: 120 });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
