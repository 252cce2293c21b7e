import Simulation
import Testing

/// Many servers on one database: every listener gets every revision, in order, even if notifications are lost.
struct ClusterSimulationTests {
    @Test(arguments: [0.0, 0.2, 1.0])
    func hundredServersMissNothing(loss: Double) throws {
        var scene = ClusterScene()
        (scene.people, scene.seconds, scene.loss) = (400, 4, loss)
        scene.writesPerPersonAndMinute = 30
        for seed in UInt64(0)..<3 {
            var simulation = ClusterSimulation(scene, seed: seed)
            let load = try simulation.run()
            #expect(load.commits > 100 && load.events > load.commits)
            #expect(load.deliveries >= load.notifications * scene.servers)
        }
    }

    /// Writers of one layer on many servers at once: commits arrive in any order.
    @Test func oneLayerOnManyServersKeepsItsOrder() throws {
        var scene = ClusterScene()
        (scene.servers, scene.people, scene.peoplePerLayer, scene.seconds) = (50, 200, 200, 3)
        (scene.writesPerPersonAndMinute, scene.loss) = (60, 0.05)
        var simulation = ClusterSimulation(scene, seed: 7)
        #expect(try simulation.run().commits > 300)
    }
}
