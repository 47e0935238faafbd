"""Just enough of the .npy format to write inputs and read results without numpy."""
import ast
import struct

CODES = {'<f4': 'f', '<f8': 'd', '<i4': 'i', '<u4': 'I', '<i8': 'q', '<u8': 'Q', '<i2': 'h',
         '<u2': 'H', '|i1': 'b', '|u1': 'B', '>f4': '>f'}


def save(path, descr, shape, values, fortran=False):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %r, }" % (descr, fortran, tuple(shape))
    header = header.encode() + b' ' * (-(10 + len(header) + 1) % 64) + b'\n'
    code = CODES[descr]
    order, code = ('>', code[1]) if code[0] == '>' else ('<', code)
    with open(path, 'wb') as out:
        out.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header)
        out.write(struct.pack('%s%d%s' % (order, len(values), code), *values))


def load(path):
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:8] == b'\x93NUMPY\x01\x00', data[:8]
    length = struct.unpack('<H', data[8:10])[0]
    assert (10 + length) % 64 == 0
    header = ast.literal_eval(data[10:10 + length].decode())
    code = CODES[header['descr']]
    body = data[10 + length:]
    values = struct.unpack('<%d%s' % (len(body) // struct.calcsize(code), code), body)
    return header['descr'], header['shape'], list(values)
