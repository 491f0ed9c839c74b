for left in LEFT_OUT:
    logger.warning(f"left out: {left.kind} {left.name}: {left.reason}")


wildcard_constraints:
    accession=r"[A-Z_]+\d+\.\d+",
    reads="|".join(READS) or "none",
    vectors="|".join(VECTORS) or "none",
    graph="|".join(GRAPHS) or "none",


# Reads, vectors and graphs, in one form each, and the table that describes them and names what was left out.
rule inputs:
    input:
        "results/tables/inputs.tsv",
        expand("results/inputs/vectors/{vectors}.npz", vectors=VECTORS),
        expand("results/inputs/graphs/{graph}.npy", graph=GRAPHS),


# NCBI asks for one request at a time; the profile limits the resource.
rule inputs_ncbi:
    output:
        f"{NCBI}/{{accession}}.fa",
    log:
        "logs/inputs/ncbi/{accession}.log",
    conda:
        "../../envs/cpu.yaml"
    resources:
        ncbi=1,
    params:
        ncbi=config["ncbi"],
        length=lambda wildcards: length_of(wildcards.accession),
    script:
        "../scripts/fetch_ncbi.py"


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


# The environment has the programs of others; our own models need nothing from it.
rule inputs_reads:
    input:
        lambda wildcards: genome_of(wildcards.reads),
    output:
        reads="results/inputs/reads/{reads}.fa",
        truth="results/inputs/reads/{reads}.truth.tsv",
    log:
        "logs/inputs/reads/{reads}.log",
    conda:
        "../../envs/simulators.yaml"
    params:
        reads=lambda wildcards: READS[wildcards.reads],
        code=code_hash("inputs"),
    script:
        "../scripts/simulate_reads.py"


rule inputs_vectors:
    input:
        lambda wildcards: VECTORS[wildcards.vectors].file or [],
    output:
        "results/inputs/vectors/{vectors}.npz",
    log:
        "logs/inputs/vectors/{vectors}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        vectors=lambda wildcards: VECTORS[wildcards.vectors],
        code=code_hash("inputs"),
    script:
        "../scripts/make_vectors.py"


rule inputs_graph:
    input:
        lambda wildcards: GRAPHS[wildcards.graph].file or [],
    output:
        "results/inputs/graphs/{graph}.npy",
    log:
        "logs/inputs/graphs/{graph}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        graph=lambda wildcards: GRAPHS[wildcards.graph],
        code=code_hash("inputs"),
    script:
        "../scripts/make_graph.py"


rule inputs_table:
    input:
        reads=[reads_file(name) for name in READS],
        others=[source.file for source in [*VECTORS.values(), *GRAPHS.values()] if source.file],
    output:
        "results/tables/inputs.tsv",
    log:
        "logs/inputs/table.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        reads=list(READS.values()),
        vectors=list(VECTORS.values()),
        graphs=list(GRAPHS.values()),
        left_out=LEFT_OUT,
        code=code_hash("inputs"),
    script:
        "../scripts/inputs_table.py"
