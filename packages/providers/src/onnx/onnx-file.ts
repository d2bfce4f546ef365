import { encodeMessage, MessageReader } from './protobuf.ts';

/** Field numbers of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
const MODEL = { irVersion: 1, graph: 7, opsetImport: 8 } as const;
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 } as const;
const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5 } as const;
const ATTRIBUTE = { name: 1, int: 3, string: 4, tensor: 5, graph: 6, ints: 8, type: 20 } as const;
const TENSOR = { dims: 1, dataType: 2, name: 8, rawData: 9 } as const;
const VALUE_INFO = { name: 1, type: 2 } as const;
const TYPE = { tensorType: 1 } as const;
const TENSOR_TYPE = { elementType: 1, shape: 2 } as const;
const SHAPE = { dimension: 1 } as const;
const DIMENSION = { size: 1, name: 2 } as const;
const OPERATOR_SET = { domain: 1, version: 2 } as const;

const ELEMENT_TYPES = { float32: 1, int64: 7 } as const;
const IR_VERSION = 8;
const OPERATOR_SET_VERSION = 17;

export interface FloatTensor {
  dims: readonly number[];
  data: Float32Array;
}

/** The float32 constants of a branch of the first `If` of a model, by name. */
export function branchConstants(
  model: Uint8Array,
  branch: 'then_branch' | 'else_branch',
): Map<string, FloatTensor> {
  const constants = new Map<string, FloatTensor>();
  const [graph] = new MessageReader(model).messages(MODEL.graph);
  const choice = graph?.messages(GRAPH.node).find((node) => node.text(NODE.opType) === 'If');
  const attribute = choice?.messages(NODE.attribute).find((each) => each.text(ATTRIBUTE.name) === branch);
  for (const node of attribute?.messages(ATTRIBUTE.graph)[0]?.messages(GRAPH.node) ?? []) {
    if (node.text(NODE.opType) !== 'Constant') continue;
    const [tensor] = node.messages(NODE.attribute)[0]?.messages(ATTRIBUTE.tensor) ?? [];
    const [raw] = tensor?.payloads(TENSOR.rawData) ?? [];
    if (!tensor || !raw || tensor.numbers(TENSOR.dataType)[0] !== ELEMENT_TYPES.float32) continue;
    // Copied, because the bytes of the file need not be aligned.
    const data = new Float32Array(new Uint8Array(raw).buffer);
    constants.set(node.text(NODE.output), { dims: tensor.numbers(TENSOR.dims), data });
  }
  return constants;
}

export interface GraphValue {
  name: string;
  type: keyof typeof ELEMENT_TYPES;
  /** A name is a size that differs between runs. */
  dims: readonly (number | string)[];
}

type AttributeValue = number | string | readonly number[];

/** Writes an ONNX model. Each node and constant returns the name of its value. */
export class OnnxGraph {
  readonly #nodes: Uint8Array[] = [];
  readonly #constants: Uint8Array[] = [];

  /** A float32 constant. */
  constant(data: Float32Array, dims: readonly number[]): string {
    return this.#addConstant(
      ELEMENT_TYPES.float32,
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
      dims,
    );
  }

  /** A list of int64 values. */
  integers(...values: readonly number[]): string {
    const data = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    return this.#addConstant(ELEMENT_TYPES.int64, data, [values.length]);
  }

  /** Adds a node with one output. */
  node(opType: string, inputs: readonly string[], attributes: Record<string, AttributeValue> = {}): string {
    const output = `value${this.#nodes.length}`;
    this.nodeInto([output], opType, inputs, attributes);
    return output;
  }

  /** Adds a node with the given names of outputs. */
  nodeInto<Outputs extends readonly string[]>(
    outputs: Outputs,
    opType: string,
    inputs: readonly string[],
    attributes: Record<string, AttributeValue> = {},
  ): Outputs {
    this.#nodes.push(
      encodeMessage({
        [NODE.input]: inputs,
        [NODE.output]: outputs,
        [NODE.opType]: opType,
        [NODE.attribute]: Object.entries(attributes).map(([name, value]) => encodeAttribute(name, value)),
      }),
    );
    return outputs;
  }

  encode(inputs: readonly GraphValue[], outputs: readonly GraphValue[]): Uint8Array {
    const graph = encodeMessage({
      [GRAPH.name]: 'batched',
      [GRAPH.node]: this.#nodes,
      [GRAPH.initializer]: this.#constants,
      [GRAPH.input]: inputs.map(encodeValue),
      [GRAPH.output]: outputs.map(encodeValue),
    });
    return encodeMessage({
      [MODEL.irVersion]: IR_VERSION,
      [MODEL.opsetImport]: encodeMessage({
        [OPERATOR_SET.domain]: '',
        [OPERATOR_SET.version]: OPERATOR_SET_VERSION,
      }),
      [MODEL.graph]: graph,
    });
  }

  #addConstant(elementType: number, data: Uint8Array, dims: readonly number[]): string {
    const name = `constant${this.#constants.length}`;
    this.#constants.push(
      encodeMessage({
        [TENSOR.name]: name,
        [TENSOR.dims]: dims,
        [TENSOR.dataType]: elementType,
        [TENSOR.rawData]: data,
      }),
    );
    return name;
  }
}

function encodeAttribute(name: string, value: AttributeValue): Uint8Array {
  const [field, type] =
    typeof value === 'number'
      ? [ATTRIBUTE.int, 2]
      : typeof value === 'string'
        ? [ATTRIBUTE.string, 3]
        : [ATTRIBUTE.ints, 7];
  return encodeMessage({ [ATTRIBUTE.name]: name, [ATTRIBUTE.type]: type, [field]: value });
}

function encodeValue({ name, type, dims }: GraphValue): Uint8Array {
  const shape = encodeMessage({
    [SHAPE.dimension]: dims.map((dim) =>
      encodeMessage({ [typeof dim === 'number' ? DIMENSION.size : DIMENSION.name]: dim }),
    ),
  });
  const tensorType = encodeMessage({
    [TENSOR_TYPE.elementType]: ELEMENT_TYPES[type],
    [TENSOR_TYPE.shape]: shape,
  });
  return encodeMessage({
    [VALUE_INFO.name]: name,
    [VALUE_INFO.type]: encodeMessage({ [TYPE.tensorType]: tensorType }),
  });
}
