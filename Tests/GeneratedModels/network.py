"""A small network under construction, with random weights."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"float": TensorProto.FLOAT, "int32": TensorProto.INT32, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}


class Network:
    """Each method adds an operation and returns the name of its result."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[kind], shape))
        return name

    def output(self, value, name, kind="float", rank=None):
        shape = None if rank is None else [f"{name}_{axis}" for axis in range(rank)]
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, TYPES[kind], shape))

    def constant(self, value):
        name = f"weight_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype(numpy.float32)

    def random_weights(self, *shape):
        return self.constant(self.floats(*shape))

    def op(self, kind, *inputs, **attributes):
        result = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [result], **attributes))
        return result

    def ints(self, *values):
        return self.constant(numpy.array(values, dtype=numpy.int64))

    def slice(self, value, axis, start, end, step=1):
        return self.op("Slice", value, self.ints(start), self.ints(end), self.ints(axis), self.ints(step))

    def unsqueeze(self, value, *axes):
        return self.op("Unsqueeze", value, self.ints(*axes))

    def mean(self, value, axis):
        return self.op("ReduceMean", value, axes=[axis], keepdims=1)

    def save(self, path, metadata=None):
        graph = helper.make_graph(self.nodes, "graph", self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        helper.set_model_props(model, {key: str(value) for key, value in (metadata or {}).items()})
        onnx.checker.check_model(model)
        onnx.save(model, path)


END = 2**31
