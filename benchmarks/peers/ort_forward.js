// ort_forward.js file=model.onnx shape=1,3,224,224 threads=2 [call=awaited]: a forward pass by ONNX
// Runtime: the native call behind its JavaScript interface, or with call=awaited the promise that
// the interface gives.
'use strict';
const path = require('path');
const readline = require('readline');

const args = Object.fromEntries(process.argv.slice(2).map((word) => word.split('=', 2)));
const home = process.env.CH_ORT;

function load() {
  try {
    return [require(path.join(home, 'onnxruntime-node')),
      require(path.join(home, 'onnxruntime-node', 'dist', 'binding.js'))];
  } catch (error) {
    console.log(`missing onnxruntime-node cannot be loaded: ${String(error.message).split('\n')[0]}`);
    process.exit(0);
  }
}

const [ort, native] = load();
const threads = Number(args.threads);
const shape = args.shape.split(',').map(Number);
const version = require(path.join(home, 'onnxruntime-node', 'package.json')).version;
// Threads that spin while they wait, memory planned once. The file has fixed dimensions.
const options = {
  executionProviders: ['cpu'], intraOpNumThreads: threads, interOpNumThreads: 1,
  executionMode: 'sequential', graphOptimizationLevel: 'all', logSeverityLevel: 3,
  enableMemPattern: true, enableCpuMemArena: true,
  extra: { session: { intra_op: { allow_spinning: '1' }, set_denormal_as_zero: '1' } },
};

/// Seconds per call over about a fifth of a second. Now and then the event loop gets a turn, which
/// is when memory of past calls is freed.
async function secondsPerCall(call, awaited) {
  await secondsOver(5e7, call, awaited); // warm: others have worked meanwhile
  return secondsOver(2e8, call, awaited);
}

async function secondsOver(nanoseconds, call, awaited) {
  const start = process.hrtime.bigint();
  let calls = 0;
  let passed = 0;
  for (; passed < nanoseconds; passed = Number(process.hrtime.bigint() - start), ++calls) {
    if (awaited) await call();
    else call();
    if (calls % 256 === 255) await new Promise(setImmediate);
  }
  return passed / 1e9 / calls;
}

/// Normally distributed enough: the sum of four uniforms.
function numbers(count) {
  let state = 1;
  const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;
  return Float32Array.from({ length: count }, () => uniform() + uniform() + uniform() + uniform());
}

/// The call to be measured, once it has run. The runtime makes the memory of its outputs, which is
/// faster than handing it some.
async function prepare(awaited) {
  const x = new ort.Tensor('float32', numbers(shape.reduce((a, b) => a * b)), shape);
  const session = await ort.InferenceSession.create(args.file, options);
  const feeds = { [session.inputNames[0]]: x };
  await session.run(feeds);
  if (awaited) return () => session.run(feeds);
  const fetches = { [session.outputNames[0]]: null };
  await session.release();
  const raw = new native.binding.InferenceSession();
  raw.loadModel(args.file, options);
  return () => raw.run(feeds, fetches, {});
}

async function main() {
  const awaited = args.call === 'awaited';
  const call = await prepare(awaited);
  const measure = async () => ({ seconds: await secondsPerCall(call, awaited) });
  await measure();
  const facts = { threads, version: `ONNX Runtime ${version}`, not_held: Boolean(args.simd) };
  console.log(`ready ${JSON.stringify(facts)}`);
  for await (const line of readline.createInterface({ input: process.stdin })) {
    void line;
    console.log(JSON.stringify(await measure()));
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
