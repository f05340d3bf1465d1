"""Networks as the peers are told of them: "bn", "relu", or the width of a linear layer."""

JSC_TINY = "bn,relu,5,relu"
JSC_TOY = "bn,relu,8,bn,relu,8,bn,relu,5,bn,relu"
JSC_S = "bn,relu,64,bn,relu,32,relu,32,relu,32,relu,5,bn,relu"
JSC_MLP_64 = "bn,64,bn,relu,32,bn,relu,32,bn,relu,5"
JSC_MLP_64_FILE = "jsc_mlp_64.toml"
