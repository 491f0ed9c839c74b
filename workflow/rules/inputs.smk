rule inputs_synthetic:
    output:
        a="results/inputs/synthetic/{pair}.a.fa",
        b="results/inputs/synthetic/{pair}.b.fa",
        manifest="results/inputs/synthetic/{pair}.json",
    log:
        "logs/inputs/synthetic/{pair}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        length=lambda wildcards: PAIRS[wildcards.pair].length_a,
        similarity=lambda wildcards: PAIRS[wildcards.pair].similarity,
        seed=lambda wildcards: PAIRS[wildcards.pair].seed,
        code=code_hash("inputs"),
    script:
        "../scripts/synthetic_pair.py"
