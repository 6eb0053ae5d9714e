// The answer of another object, as a value of our own. What an RPC answers holds on to the one who gave it until it is
// disposed of; handed on as it is, it keeps the object that asked awake for as long as anybody has it.

export const ownCopy = <Value>(answer: Value): Value => structuredClone(answer)
